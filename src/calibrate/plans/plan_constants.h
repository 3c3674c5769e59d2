/* The constants of plans, found from measured iterations (docs/explanation/calibration.md,
   Plans). */
#ifndef EASIM_CALIBRATE_PLANS_PLAN_CONSTANTS_H
#define EASIM_CALIBRATE_PLANS_PLAN_CONSTANTS_H

#include "calibrate/plans/internal.h"

#include <stdbool.h>
#include <stddef.h>

/* --- plan_equations --- */
/* Iterations under plans as equations: seconds are sums of known numbers times unknown constants,
   over the speed of the software's round. */

/* Unknowns of all rows, behind those of groups, what 1/f1 is above its least. */
enum plan_unknown {
    PLAN_TRAFFIC, /* f2 */
    PLAN_OVERLAP, /* 1 - f3 */
    PLAN_FIXED_S,
    PLAN_NODE_S,
    PLAN_UNKNOWNS
};

/* --- plan_constants --- */

/* One group's: f1 is its own, the others are those of all rows. */
struct plan_constants {
    const char *group;
    double compute_fraction; /* of the peak; where rows state shape_fraction, times that */
    double most_share;     /* of the rows' shape_fraction; compute_fraction is at most 1 over it */
    double constant_flops; /* of one GPU: what a constant rate would be, the control */
    size_t rows;           /* fitted */
};

struct plan_round {
    const char *round;
    double factor;
    bool stated;
};

/* Errors are predicted / measured - 1 of an iteration's time; NAN: not defined. */
struct plan_error {
    double predicted_s, error;
    double left_out;          /* by constants fitted without this row and those of its fold */
    double constant_left_out; /* by a constant rate fitted without them */
};

/* Zero-initialise; release with plan_constants_fit_finish. */
struct plan_constants_fit {
    ARRAY_OF(struct plan_constants) groups; /* in the order of the rows */
    ARRAY_OF(struct plan_round) rounds;     /* likewise */
    double values[PLAN_UNKNOWNS];           /* f2, f3, fixed_s, node_s */
    bool told[PLAN_UNKNOWNS];               /* by the rows; else held, or 0, 1, 0, 0 */
    struct plan_error *errors;              /* by row */
};

/* Least squares of relative errors: time is linear in 1/f1, f2, 1 - f3, fixed_s and node_s (bounds:
   f1 <= 1 in every row, f2 >= 0, f3 in 0..1, the last two >= 0, and of LoRA alone), over the factor
   of the round. Rows that are held out are predicted by the others' constants. held: values that
   are not to be found, by enum plan_unknown (f3 itself), NAN: found. Negative, with a problem: too
   few rows, a group that has none to be fitted, or no stated round to compare with. */
int plan_constants_fit(struct plan_constants_fit *fit, const struct plan_rows *rows,
                       const double held[static PLAN_UNKNOWNS], const char *path,
                       struct problems *problems) MUST_CHECK;
void plan_constants_fit_finish(struct plan_constants_fit *fit);

#endif
