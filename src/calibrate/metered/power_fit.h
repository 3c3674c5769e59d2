/* Power fitted to a meter by bounded least squares: power at rest, of busy GPUs, and by their use.
   Semantics 22. */
#ifndef EASIM_CALIBRATE_METERED_POWER_FIT_H
#define EASIM_CALIBRATE_METERED_POWER_FIT_H

#include "calibrate/metered/power_plan.h"

#define POWER_HARDLY_TOLD 0.01 /* what other columns leave of one: below, they hardly tell it */
#define POWER_BLOCKS      12   /* parts of the time, for intervals */
#define POWER_LEAST_BLOCK 2    /* readings in each, else there are none */

/* Sums over the first readings of a load, for fits to more and more of them. Zero-initialise, fill
   with power_sums_add, release with power_sums_finish. */
struct power_sums {
    size_t readings;
    double *normal, *right; /* of pairs of columns, and of columns times power */
};

/* Readings that end in (from_s, to_s]; floor_w: of the constant, known before, >= 0. sums: NULL, or
   those of these readings, which are the first: then the fit has no intervals and no rest. */
struct power_span {
    double from_s, to_s, floor_w;
    const struct power_sums *sums;
};

struct power_value {
    double value, low, high; /* 95 %; NAN: none */
};

/* Release with power_fit_finish. */
struct power_fit {
    struct power_plan plan;
    double from_s, to_s, floor_w;
    size_t readings;
    double *x, *covariance; /* by parameter; of those held at 0 the covariance is 0 */
    double *rest;           /* what the other parameters leave of each; of all but the first
                               beside what the constant leaves */
    bool *free;             /* not held at 0 */
    bool has_intervals;
};

/* Adds the readings that end up to to_s; floor_w is always the same. */
void power_sums_add(struct power_sums *sums, const struct load *load, double to_s, double floor_w);
void power_sums_finish(struct power_sums *sums);

/* Negative if there are too few readings, or columns depend on each other to rounding. */
int power_fit_make(struct power_fit *fit, const struct load *load, enum power_detail detail,
                   const struct power_span *span, struct error *reterr) MUST_CHECK;
void power_fit_finish(struct power_fit *fit);
/* Of reading i, W. */
double power_fit_predict(const struct power_fit *fit, size_t i);
/* The sum of factors[c] times the power of column c, with its interval. */
struct power_value power_fit_value(const struct power_fit *fit, const double *factors);

#endif
