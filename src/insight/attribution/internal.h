/* Declarations shared by the files of src/insight/attribution, for this folder alone. */
#ifndef EASIM_INSIGHT_ATTRIBUTION_INTERNAL_H
#define EASIM_INSIGHT_ATTRIBUTION_INTERNAL_H

#include "insight/recorded_run.h"

/* --- step_integral: carbon intensity and price over time, as the steps that they are --- */

/* The results of a constant power of 1 W over a time, pue included. */
struct step_sum {
    double co2_kg, cost; /* NAN: not given */
};

/* Zero-initialise; release with step_integral_finish. */
struct step_integral {
    const struct recorded_folder *folder;
    struct step_sum *before; /* by step: from 0 to its beginning */
};

void step_integral_init(struct step_integral *integral, const struct recorded_folder *folder);
void step_integral_finish(struct step_integral *integral);
/* From from_ns >= 0 to to_ns >= from_ns. */
struct step_sum step_integral_find(const struct step_integral *integral, int64_t from_ns,
                                   int64_t to_ns);

/* --- cells --- */

/* The measured time in one bucket and on one GPU type: its GPUs, and the nodes that have them. */
struct cell {
    int128 used_ps, idle_ps, failed_ps; /* GPU time, 1e-12 GPU s; idle: asleep ones too */
    int128 idle_energy;                 /* 1e-18 J */
    int128 part_energy[NODE_PARTS];     /* of the nodes */
    int128 fabric_energy;               /* of the cluster's network */
    struct step_sum apart;              /* of idle_energy and the two above */
};

/* Zero-initialise; release with cells_finish. */
struct cells {
    int64_t from_ns, to_ns; /* measured */
    int64_t bucket_ns;      /* the n-th bucket begins at n times it; INT64_MAX: one bucket */
    uint32_t types;
    size_t first_bucket, buckets; /* that the measured time touches */
    struct cell *at;              /* by bucket, then GPU type */
};

/* Number of buckets in the measured time of a run. */
size_t cells_buckets(const struct recorded_run *run, int64_t bucket_ns);
void cells_find(struct cells *cells, const struct recorded_run *run, int64_t bucket_ns);
void cells_finish(struct cells *cells);

/* The cell of an instant in the measured time. */
struct cell *cells_at(const struct cells *cells, int64_t time_ns, uint32_t gpu_type);
/* When the bucket of that instant ends, or the measured time. */
int64_t cells_end_ns(const struct cells *cells, int64_t time_ns);

/* --- model_counts --- */
/* Operations and bytes of models that state those of a sample (semantics 25.3). */

/* Sums; each figure is one over another, of the jobs for which both are known. */
struct model_counts {
    double flops, flops_gpu_s; /* operations of kept work; GPU time of those jobs */
    double peaked_flops, peak; /* the same if the GPU type has a peak: GPU time x peak */
    double roof, roof_gpu_s;   /* GPU time x the most that peak and memory allow; that time */
    double memory_gpu_s;       /* part of roof_gpu_s in which the memory is the bound */
    double bytes, bytes_gpu_s;
};

/* For a whole segment on GPUs. */
struct model_counts model_counts_of(const struct recorded_run *run,
                                    const struct recorded_segment *segment);
void model_counts_add(struct model_counts *sum, const struct model_counts *counts, double share);

/* FLOP/s of a GPU held, share of the peak, the most that a GPU could do (FLOP/s), share of the time
   in which memory bounds that, GPU-hours a byte. NAN if nothing is known. */
double model_counts_flops_s(const struct model_counts *counts);
double model_counts_utilization(const struct model_counts *counts);
double model_counts_roofline(const struct model_counts *counts);
double model_counts_memory_bound(const struct model_counts *counts);
double model_counts_gpu_h_per_byte(const struct model_counts *counts);

#endif
