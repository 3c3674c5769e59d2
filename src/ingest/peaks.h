/* Peaks of GPUs: what their data sheets promise, dense (without sparsity). */
#ifndef EASIM_INGEST_PEAKS_H
#define EASIM_INGEST_PEAKS_H

#include "base/error.h"

#include <stdbool.h>

enum gpu_peak { /* columns of the table */
                PEAK_FP64,
                PEAK_FP32, /* outside tensor cores, like FP64 and FP16 */
                PEAK_FP16,
                PEAK_TF32,        /* tensor cores */
                PEAK_TENSOR_FP16, /* FP16 and BF16 */
                PEAK_TENSOR_FP8,
                PEAK_MEMORY,
                GPU_PEAKS
};

/* NAN: not known, or the GPU has no such unit. */
struct gpu_peaks {
    const char *name;     /* words that a device name has, in any case */
    double at[GPU_PEAKS]; /* FLOP/s; memory: bytes/s */
    double tensor_mhz;    /* the SM clock of the peaks of tensor cores */
    double vector_mhz;    /* and of the others */
};

/* The GPU that a profiler calls `device`, as "NVIDIA A100-SXM4-80GB"; NULL: not in the table. */
const struct gpu_peaks *gpu_peaks_find(const char *device);
/* Every peak and clock that `by` knows takes the place of that of `peaks`. */
void gpu_peaks_replace(struct gpu_peaks *peaks, const struct gpu_peaks *by);
/* Peaks from text, as "fp32=19.5,tensor_fp16=312,memory=2039,clock=1410" in TFLOP/s, GB/s and MHz.
   All others are NAN. Negative: *reterr says what was expected. */
int gpu_peaks_parse(const char *text, struct gpu_peaks *peaks, struct error *reterr) MUST_CHECK;

#endif
