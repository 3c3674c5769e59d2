/* How far the true speed of a job is from the predicted one (semantics 11). */
#ifndef EASIM_WORKLOAD_SPEED_NOISE_H
#define EASIM_WORKLOAD_SPEED_NOISE_H

#include "config/scenario.h"
#include "model/job_kind.h"

/* Whose noise it is. */
struct noise_draw {
    double speed_sigma;
    uint64_t seed;
    uint32_t replication; /* from 0 */
};

/* True speed / predicted speed of the job of that index, over its life: exp(sigma z - sigma^2/2),
   mean 1, from the stream noise/INDEX; rigid jobs: 1. */
double speed_noise(const struct noise_draw *draw, uint32_t job, enum job_kind kind);

#endif
