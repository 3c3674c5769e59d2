/* Where the doubt about a difference comes from: from which group of physics, from the workloads,
   or from both at once; and how often it holds (semantics 18.1 to 18.3). Pure functions; undefined
   values are NAN. */
#ifndef EASIM_EXPERIMENT_WORLDS_BUDGET_H
#define EASIM_EXPERIMENT_WORLDS_BUDGET_H

#include "experiment/worlds/better.h"
#include "experiment/worlds/crossed.h"

#include <stdint.h>

#define BUDGET_RESAMPLES 1000 /* of the bootstrap */

/* One metric of a policy and of the baseline, [set][world][replication], NAN where missing. Set 0
   has the worlds as drawn; set g > 0 has them with the draws of group g - 1 alone taken from an
   independent second set. */
struct budget_values {
    size_t sets, worlds, replications; /* sets >= 1 */
    const double *policy, *baseline;
    enum metric_better direction;
};

struct budget {
    size_t worlds, replications; /* that are complete: see crossed_init */
    double mean, ci95, degrees;  /* of the difference policy - baseline over both */
    double base_mean;            /* of the baseline over both */
    struct crossed_squares squares;
    struct share_range physics, workload, residual; /* of the sum of the three variances */
    struct better better;                           /* of all worlds that have a pair */
};

/* groups: sets - 1 of them, the total-effect share of each in the variance of physics (Jansen 1999;
   NAN if that is 0). Intervals: percentiles of a bootstrap that resamples worlds with all their
   runs, from the stream "uncertainty bootstrap" of the seed; an end that is not finite is NAN. */
void budget_of(const struct budget_values *values, uint64_t seed, struct budget *ret_budget,
               struct share_range *ret_groups);

#endif
