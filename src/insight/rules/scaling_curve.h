/* How a job's speed grows with its GPUs: of every allowed number the fastest configuration of one
   GPU type, without a power limit, in the span of the empty cluster. */
#ifndef EASIM_INSIGHT_RULES_SCALING_CURVE_H
#define EASIM_INSIGHT_RULES_SCALING_CURVE_H

#include "insight/rules/kept_work.h"

struct scaling_curve {
    const struct easim_config *at[CONFIG_MAX_CHOICES]; /* by number of GPUs, ascending */
    uint32_t count;
};

void scaling_curve_make(struct scaling_curve *curve, struct kept_configs configs,
                        uint32_t gpu_type);
/* The place of k GPUs; count: it is not there. */
uint32_t scaling_curve_find(const struct scaling_curve *curve, uint32_t k);
/* Speed of a GPU there over that of a GPU at the first place. */
double scaling_efficiency_at(const struct scaling_curve *curve, uint32_t place);
/* Speed that each GPU adds which the place before has not, likewise; place > 0. */
double scaling_marginal(const struct scaling_curve *curve, uint32_t place);

#endif
