/* The GPUs of a timeline that easim has written, and the energy that its slices give them. */
#ifndef EASIM_INGEST_KINETO_KINETO_GPUS_H
#define EASIM_INGEST_KINETO_KINETO_GPUS_H

#include "base/array.h"
#include "base/intern.h"

#define KINETO_MOST_GPUS 131072
#define KINETO_NO_GPU    KINETO_MOST_GPUS /* one of those that are too many */

struct kineto_gpu {
    int64_t node, gpu; /* pid, and args.gpu: its number in the node */
    uint64_t events;
    int64_t busy_ns; /* union of its slices, once they are all there (kineto_simulated.h) */
    double energy_j; /* sum over its slices */
};

/* Zero-initialise; release with kineto_gpus_finish. */
struct kineto_gpus {
    ARRAY_OF(struct kineto_gpu) all; /* in order of their first slice */
    struct intern keys;
    struct kineto_gpu others; /* the sum over those that are too many to be told apart */
    uint64_t without_energy;  /* slices */
};

/* Adds a slice; returns the number of its GPU, or KINETO_NO_GPU. energy_j: NAN where the slice does
   not say. */
uint32_t kineto_gpus_add(struct kineto_gpus *gpus, int64_t node, int64_t gpu, double energy_j);
void kineto_gpus_finish(struct kineto_gpus *gpus);

#endif
