/* What models did, in operations and bytes, where they say what a sample takes (semantics 25.3). */
#ifndef EASIM_INSIGHT_ATTRIBUTION_MODEL_COUNTS_H
#define EASIM_INSIGHT_ATTRIBUTION_MODEL_COUNTS_H

#include "insight/recorded_run.h"

/* Sums; each figure is one over another, of the jobs for which both are known. */
struct model_counts {
    double flops, flops_gpu_s; /* operations of kept work; GPU time of those jobs */
    double peaked_flops, peak; /* where the GPU type has a peak: likewise, GPU time x peak */
    double roof, roof_gpu_s;   /* GPU time x the most that peak and memory allow; that time */
    double memory_gpu_s;       /* part of roof_gpu_s in which the memory is what bounds it */
    double bytes, bytes_gpu_s;
};

/* Of a segment on GPUs, whole. */
struct model_counts model_counts_of(const struct recorded_run *run,
                                    const struct recorded_segment *segment);
void model_counts_add(struct model_counts *sum, const struct model_counts *counts, double share);

/* FLOP/s of a GPU held; share of the peak; the most that a GPU could do (FLOP/s); share of the time
   in which that is bound by memory; GPU-hours a byte. NAN where nothing is known. */
double model_counts_flops_s(const struct model_counts *counts);
double model_counts_utilization(const struct model_counts *counts);
double model_counts_roofline(const struct model_counts *counts);
double model_counts_memory_bound(const struct model_counts *counts);
double model_counts_gpu_h_per_byte(const struct model_counts *counts);

#endif
