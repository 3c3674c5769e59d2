/* Two series of runs compared pair by pair: difference, t-test, ratio. Pure functions; undefined
   values are NAN. */
#ifndef EASIM_EXPERIMENT_PAIRED_TEST_H
#define EASIM_EXPERIMENT_PAIRED_TEST_H

#include "experiment/t_interval.h"

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

struct paired paired_test(const double *values, const double *base, size_t count);

/* Holm's step-down correction of the p-values that are defined (Holm 1979). */
void paired_test_holm(const double *p_values, size_t count, double *adjusted);

#endif
