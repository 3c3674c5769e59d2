/* Iteration time and rate of data-parallel training (semantics 3.1). Pure functions. */
#ifndef EASIM_MODEL_SPEED_H
#define EASIM_MODEL_SPEED_H

#include "easim/policy.h"

#define BATCH_MOST 1e9 /* b, samples per GPU and iteration: a real in (0, BATCH_MOST] */
/* Batches whose ratio is not above this are the same: B / k as one program writes it and another
   computes it. */
#define BATCH_EQUAL (1 + 1e-9)

/* t(k, b) = (a_s^gamma + (c_s*b)^gamma)^(1/gamma) + s(k): Pollux's overlap form (OSDI'21, eq. 10)
   with a launch floor in place of its fixed gradient time; s(1) = 0, s(k) = alpha + beta*(k - 2).
   Two extensions, off by default: the compute time may grow as k^scaling_exponent, and s may
   overlap with it by a norm of its own, sync_gamma. */
struct speed_params {
    double a_s;                   /* launch floor of one iteration, > 0 */
    double c_s;                   /* seconds per sample at saturation, > 0 */
    double gamma;                 /* 1 (no overlap) .. 10 (max) */
    double alpha_s[2], beta_s[2]; /* synchronisation, by enum easim_span */
    double sync_gamma;            /* 1 (compute and synchronisation add up) .. 10 (max) */
    double scaling_exponent;      /* 0 .. 1 */
};

/* Seconds per iteration of k GPUs with `batch` samples each. */
double speed_iteration_s(const struct speed_params *params, uint32_t k, double batch,
                         enum easim_span span);
/* r = k*b/t, samples/s of all k GPUs together. */
double speed_rate(uint32_t k, double batch, double iteration_s);

#endif
