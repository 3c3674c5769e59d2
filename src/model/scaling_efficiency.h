/* Synchronisation from how well a model scales (semantics 3.7). Pure functions. */
#ifndef EASIM_MODEL_SCALING_EFFICIENCY_H
#define EASIM_MODEL_SCALING_EFFICIENCY_H

#include "model/speed.h"

/* k >= 2 GPUs of one node against one, each with the same batch. */
struct scaling {
    struct speed_params params;
    uint32_t k;
    double batch;
    double steps_alone,
        steps; /* in which one GPU, and each of k, computes it (grad_accum); else 1 */
};

/* r(k)/(k r(1)) */
double scaling_efficiency(const struct scaling *scaling);
/* The alpha_s that gives it, all else kept; negative: it is above what alpha_s = 0 gives. 0 <
   efficiency <= 1. */
double scaling_alpha_s(const struct scaling *scaling, double efficiency);
/* Sets alpha_s within a node, and across nodes in proportion, or, from 0, by the same amount. */
void scaling_set_alpha_s(struct speed_params *params, double alpha_s);

#endif
