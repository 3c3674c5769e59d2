/* The ratio of the means of two series of runs, with its interval. A pure function; undefined
   values are NAN. */
#ifndef EASIM_EXPERIMENT_RATIO_ESTIMATE_H
#define EASIM_EXPERIMENT_RATIO_ESTIMATE_H

#include <stddef.h>

/* Mean of values / mean of base over the pairs in which both are defined: the ratio estimator of
   paired samples, its interval by linearisation (Cochran, Sampling Techniques, 6.4). NAN if the
   mean of base is 0. */
struct ratio {
    size_t n;
    double mean, base_mean, ratio, ci95;
};

struct ratio ratio_estimate(const double *values, const double *base, size_t count);

#endif
