/* Bounds of one replication, each for one metric: a number that no schedule of these jobs on this
   cluster is below, or the reason why there is none (semantics 27.1). */
#ifndef EASIM_BOUNDS_BOUND_H
#define EASIM_BOUNDS_BOUND_H

#include "bounds/internal.h"

enum bound_metric { BOUND_ENERGY, BOUND_TIME, BOUND_METRICS };

/* What is bounded of a replication. */
struct bound_case {
    const struct workload *workload; /* with all configurations that any schedule may use */
    const struct scenario *scenario;
    uint32_t replication; /* from 0 */
};

struct bound {
    double value;       /* kWh, s; NAN: none, */
    const char *reason; /* and why; else NULL. Literal */
};

struct bounds {
    struct bound of[BOUND_METRICS];
    struct time_bound time; /* by argument */
    struct energy_bound energy;
    size_t jobs, impossible; /* bounded, and left out: no configuration can run them */
};

/* The column of summary.csv that is bounded: of time jct_mean_s, with a horizon
   jct_restricted_mean_s. */
const char *bound_metric_name(enum bound_metric metric, const struct scenario *scenario);

struct bounds bounds_find(const struct bound_case *in);

/* Under a horizon: of the energy until then of any schedule that does this much work of each job,
   in units of its spec. */
struct bound bound_energy_of_work(const struct bound_case *in, const double *done);

#endif
