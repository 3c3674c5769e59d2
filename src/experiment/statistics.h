/* Statistics over replications. Pure functions; undefined values are NAN. */
#ifndef EASIM_EXPERIMENT_STATISTICS_H
#define EASIM_EXPERIMENT_STATISTICS_H

#include "metrics/summary.h"

#include <stdbool.h>

/* Of the defined (not NAN) values; n = 0: all NAN, n = 1: sd and ci95 NAN. */
struct estimate {
    size_t n;
    double mean, sd;
    double ci95; /* half width of the two-sided 95 % t-interval of the mean */
};

struct estimate statistics_estimate(const double *values, size_t count);
/* Of one column of the summaries. */
struct estimate statistics_column(const struct summary *summaries, size_t count, unsigned column);

/* Whether all of several replications are the same: nothing is random, n equal runs are one run. */
bool statistics_all_equal(const struct summary *summaries, size_t count);

/* Differences value - base of pairs in which both are defined. */
struct paired {
    struct estimate diff;
    double base_mean; /* over the pairs */
    double p_value; /* two-sided paired t-test; 1 if no pair differs, NAN if all differ by the same
                       amount */
    /* Geometric mean of value / base with its 95 % t-interval; NAN unless all values of the pairs
     * are > 0. */
    double ratio, ratio_low, ratio_high;
};

struct paired statistics_paired(const double *values, const double *base, size_t count);

/* Holm's step-down correction of the p-values that are defined (Holm 1979). */
void statistics_holm(const double *p_values, size_t count, double *adjusted);

/* Mean of values / mean of base over the pairs in which both are defined: the ratio estimator of
   paired samples, its interval by linearisation (Cochran, Sampling Techniques, 6.4). NAN if the
   mean of base is 0. */
struct ratio {
    size_t n;
    double mean, base_mean, ratio, ci95;
};

struct ratio statistics_ratio(const double *values, const double *base, size_t count);

#endif
