/* Mean, spread and 95 % t-interval over replications. Pure functions; undefined values are NAN. */
#ifndef EASIM_EXPERIMENT_T_INTERVAL_H
#define EASIM_EXPERIMENT_T_INTERVAL_H

#include "metrics/summary.h"

/* Of the defined (not NAN) values; n = 0: all NAN, n = 1: sd and ci95 NAN. */
struct estimate {
    size_t n;
    double mean, sd;
    double ci95; /* half width of the two-sided 95 % t-interval of the mean */
};

struct estimate t_interval_of(const double *values, size_t count);
/* Of one column of the summaries. */
struct estimate t_interval_of_column(const struct summary *summaries, size_t count,
                                     unsigned column);

#endif
