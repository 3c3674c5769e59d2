/* Statistics over replications. Pure functions. */
#ifndef EASIM_EXPERIMENT_STATISTICS_H
#define EASIM_EXPERIMENT_STATISTICS_H

#include <stddef.h>

/* Of the defined (not NAN) values; n = 0: all NAN, n = 1: sd and ci95 NAN. */
struct estimate {
    size_t n;
    double mean, sd;
    double ci95; /* half width of the two-sided 95 % t-interval of the mean */
};

struct estimate statistics_estimate(const double *values, size_t count);

#endif
