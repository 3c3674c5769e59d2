/* Power fitted to a meter by bounded least squares: at rest, busy, and by use (semantics 22). */
#ifndef EASIM_CALIBRATE_METERED_POWER_FIT_H
#define EASIM_CALIBRATE_METERED_POWER_FIT_H

#include "calibrate/metered/internal.h"
#include "config/meter.h"

#include <stdbool.h>
#include <stddef.h>

#define POWER_HARDLY_TOLD 0.01 /* what other columns leave of one: below, they hardly tell it */

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
    struct arena arena; /* of all lists */
};

/* Negative if there are too few readings, or columns depend on each other to rounding. */
int power_fit_make(struct power_fit *fit, const struct load *load, enum power_detail detail,
                   const struct power_span *span, struct error *reterr) MUST_CHECK;
void power_fit_finish(struct power_fit *fit);
/* Of reading i, W. */
double power_fit_predict(const struct power_fit *fit, size_t i);
/* The sum of factors[c] times the power of column c, with its interval. */
struct power_value power_fit_value(const struct power_fit *fit, const double *factors);

/* --- nonnegative: least squares with parameters that are at least 0, from normal equations --- */

/* normal: X'X, symmetric and positive definite (no column depends on others), size x size; right:
   X'y. Finds the x >= 0 with least |Xx - y| (Lawson and Hanson, Solving Least Squares Problems,
   1974, chapter 23); free[i]: x[i] > 0 is not held at its bound. false, with x and free 0: the
   columns depend on each other to rounding. */
bool nonnegative_solve(const double *normal, const double *right, size_t size, double *x,
                       bool *free);
/* The inverse of the rows and columns that are marked, 0 elsewhere. false: none. */
bool nonnegative_inverse(const double *normal, size_t size, const bool *marked, double *inverse);

/* --- power_windows --- */
/* A fit made again as time goes on, of all readings so far, that predicts the next window: what a
   model beside a running cluster would have said. */

struct power_window {
    double from_s, to_s;
    bool fitted;                     /* else too few readings before it, and no errors */
    struct meter_errors full, count; /* of the whole fit, and of that to busy GPUs alone */
};

/* Release with power_windows_finish. */
struct power_windows {
    ARRAY_OF(struct power_window) at; /* the first begins one length after the first reading */
    double *predicted_w;              /* by reading; NAN: of no window that was fitted */
};

void power_windows_make(struct power_windows *windows, const struct load *load, double length_s,
                        double floor_w);
void power_windows_finish(struct power_windows *windows);

#endif
