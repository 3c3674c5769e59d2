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
   Extensions, off by default: the compute time may grow as k^scaling_exponent, s may overlap with
   it by a norm of its own, sync_gamma, and across n nodes s may be alpha + beta*log2(n). */
enum sync_law { SYNC_LAW_LINEAR, SYNC_LAW_LOG2 };

struct speed_params {
    double a_s;                   /* launch floor of one iteration, > 0 */
    double c_s;                   /* seconds per sample at saturation, > 0 */
    double gamma;                 /* 1 (no overlap) .. 10 (max) */
    double alpha_s[2], beta_s[2]; /* synchronisation, by enum easim_span */
    double sync_gamma;            /* 1 (compute and synchronisation add up) .. 10 (max) */
    double scaling_exponent;      /* 0 .. 1 */
    int32_t sync_inter;           /* enum sync_law of s across nodes */
};

/* Seconds per iteration of k GPUs with `batch` samples each, on so many nodes. */
/* s(k) alone: what synchronisation takes, whatever of it compute hides. */
double speed_sync_s(const struct speed_params *params, uint32_t k, uint32_t nodes);
double speed_iteration_s(const struct speed_params *params, uint32_t k, double batch,
                         uint32_t nodes);
/* The nodes that a job of a span counts as, whatever it got: 1, or in all spans across nodes, of
   node_gpus GPUs (the largest there are), max(2, ceil(k/node_gpus)). */
uint32_t speed_nodes(uint32_t k, uint32_t node_gpus, uint32_t span);
/* r = k*b/t, samples/s of all k GPUs together. */
double speed_rate(uint32_t k, double batch, double iteration_s);

#endif
