/* The constants of plans, found from measured iterations (docs/calibration.md, Plans). */
#ifndef EASIM_CALIBRATE_PLANS_PLAN_CONSTANTS_H
#define EASIM_CALIBRATE_PLANS_PLAN_CONSTANTS_H

#include "calibrate/plans/plan_rows.h"

/* One group's: f1 is its own, f2 and f3 are those of all rows. */
struct plan_constants {
    const char *group;
    double compute_fraction;
    double constant_flops; /* of one GPU: what a constant rate would be, the control */
    size_t rows;           /* fitted */
};

/* Errors are predicted / measured - 1 of an iteration's time; NAN: not defined. */
struct plan_error {
    double predicted_s, error;
    double left_out;          /* by constants fitted without this row */
    double constant_left_out; /* by a constant rate fitted without this row */
};

/* Zero-initialise; release with plan_constants_fit_finish. */
struct plan_constants_fit {
    ARRAY_OF(struct plan_constants) groups; /* in the order of the rows */
    double memory_traffic, gradient_overlap;
    bool traffic_told, overlap_told; /* the rows can tell them; else 0 and 1 stand */
    struct plan_error *errors;       /* by row */
};

/* Least squares of relative errors: time is linear in 1/f1, f2 and 1 - f3 (bounds: f1 <= 1, f2 >=
   0, f3 in 0..1). Rows that are held out are predicted by the others' constants. Negative, with a
   problem: too few rows, or a group that has none to be fitted. */
int plan_constants_fit(struct plan_constants_fit *fit, const struct plan_rows *rows,
                       const char *path, struct problems *problems) MUST_CHECK;
void plan_constants_fit_finish(struct plan_constants_fit *fit);

#endif
