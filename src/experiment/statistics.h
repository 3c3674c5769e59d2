/* Intervals and tests over runs, as pure functions (undefined values are NAN): t_interval,
   paired_test, ratio_estimate, better. */
#ifndef EASIM_EXPERIMENT_STATISTICS_H
#define EASIM_EXPERIMENT_STATISTICS_H

#include "base/rng.h"
#include "metrics/metric_table.h"
#include "metrics/summary.h"

#include <stddef.h>

/* Over the defined (not NAN) values; n = 0: all NAN, n = 1: sd and ci95 NAN. */
struct estimate {
    size_t n;
    double mean, sd;
    double ci95; /* half width of the two-sided 95 % interval of the mean */
    bool skewed; /* the interval is low .. high, not even about the mean (bootstrap-t) */
    double low, high;
};

struct estimate t_interval_of(const double *values, size_t count);
/* Skewness of a sample, corrected for its size (Joanes and Gill 1998, G1); NAN of fewer than 3 or
   of equal values. */
double t_interval_skewness(const double *values, size_t count);
/* So many values give a mean of this skewness a t-interval that errs in at most 6 % of cases
   (Cochran, Sampling Techniques, 2.15: n > 25 G1^2). */
double t_interval_count(double skewness);
/* The same for one column of the summaries. */
struct estimate t_interval_of_column(const struct summary *summaries, size_t count,
                                     unsigned column);

/* --- bootstrap_t --- */

#define BOOTSTRAP_LEAST     4 /* values: of fewer too many resamples are of one value alone */
#define BOOTSTRAP_RESAMPLES 9999

/* The same estimate with an equal-tailed bootstrap-t interval (Efron and Tibshirani 1993, 12.5),
   and the p-value of a mean of 0 by the same resamples. Equal values, or fewer than
   BOOTSTRAP_LEAST, stay as they are. */
void bootstrap_t(const double *values, size_t count, gsl_rng *rng, struct estimate *estimate,
                 double *p_value);

/* --- paired_test: two series of runs compared pair by pair: difference, t-test, ratio --- */

/* Differences value - base of pairs in which both are defined. */
struct paired {
    struct estimate diff;
    double base_mean; /* over the pairs */
    double p_value; /* two-sided paired t-test; 1 if no pair differs, NAN if all differ by the same
                       amount */
    /* Geometric mean of value / base with its 95 % t-interval, and the t-test of the logarithms;
       NAN unless all values are > 0. */
    double ratio, ratio_low, ratio_high, ratio_p;
};

struct paired paired_test(const double *values, const double *base, size_t count);
/* Gives its intervals and p-values by bootstrap_t. */
void paired_bootstrap(const double *values, const double *base, size_t count, gsl_rng *rng,
                      struct paired *paired);

/* Holm's step-down correction of the p-values that are defined (Holm 1979). */
void paired_test_holm(const double *p_values, size_t count, double *adjusted);

/* --- ratio_estimate: the ratio of the means of two series of runs, with its interval --- */

/* Mean of values / mean of base over the pairs in which both are defined: the ratio estimator of
   paired samples, its interval by linearisation (Cochran, Sampling Techniques, 6.4). NAN if the
   mean of base is 0. */
struct ratio {
    size_t n;
    double mean, base_mean, ratio, ci95;
};

struct ratio ratio_estimate(const double *values, const double *base, size_t count);

/* --- better: P(B better than A): the share of worlds in which it is (semantics 18.3) --- */

/* A share 0..1 and its 95 % interval. */
struct share_range {
    double share, low, high;
};

/* A share of count worlds, with the interval of Wilson (1927); count 0: NAN. */
struct share_range better_wilson(size_t hits, size_t count);

/* In one world: 1 if the policy of these pairs is better, -1 if it is worse, otherwise 0. It is 0
   without a difference above rounding, without a direction, or, with `clearly`, if the test
   (two-sided) has p >= 0.05 over the replications. A difference that is the same in every one needs
   no test, but two replications. */
int better_verdict(const struct paired *paired, enum metric_better direction, bool clearly);

struct better {
    size_t worlds; /* with a pair: the others do not count */
    struct share_range
        clearly; /* better by a paired t-test over the replications, two-sided p < 0.05 */
    struct share_range worse; /* worse by the same test */
    struct share_range sign;  /* better on average over the replications, without that test */
};

/* Shares of worlds in which values are better, and worse, than base, both [worlds][replications],
   NAN if missing. If no world has two replications, `clearly` and `worse` are NAN. If neither less
   nor more is better, all are NAN. */
struct better better_of(const double *values, const double *base, size_t worlds,
                        size_t replications, enum metric_better direction);

#endif
