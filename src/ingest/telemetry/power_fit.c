/* Non-negative least squares of three variables: the best of the eight subsets whose own least
   squares solution has no negative part. The minimum is one of them: there the variables that are
   not 0 solve their own problem (Lawson and Hanson, Solving Least Squares Problems, 1974,
   theorem 23.4). */
#include "ingest/telemetry/power_fit.h"

#include <gsl/gsl_linalg.h>
#include <math.h>

#define POWER          POWER_FIT_MOST
#define FEWEST_POINTS  8
#define LEAST_PART     1e-9 /* of an activity's variance that others must leave unexplained */
#define LEAST_VARIANCE 1e-12

void power_fit_add(struct power_fit *fit, const double activities[static POWER_FIT_MOST],
                   double power_w) {
    double before[POWER_FIT_MOST + 1], values[POWER_FIT_MOST + 1];
    fit->points++;
    for (int i = 0; i <= POWER; i++) {
        values[i] = i == POWER ? power_w : activities[i];
        before[i] = values[i] - fit->means[i];
        fit->means[i] += before[i] / (double)fit->points;
    }
    for (int i = 0; i <= POWER; i++) /* Welford */
        for (int k = 0; k <= POWER; k++)
            fit->products[i][k] += before[i] * (values[k] - fit->means[k]);
}

/* The subset's own solution, scaled to unit deviations; false where it is not unique or has a
 * negative part. */
static bool solve_subset(const struct power_fit *fit, unsigned subset,
                         double watts[static POWER_FIT_MOST]) {
    double matrix[POWER_FIT_MOST * POWER_FIT_MOST], right[POWER_FIT_MOST], scale[POWER_FIT_MOST];
    size_t members[POWER_FIT_MOST], count = 0;
    for (size_t i = 0; i < POWER_FIT_MOST; i++)
        if (subset >> i & 1)
            members[count++] = i;
    for (size_t i = 0; i < count; i++)
        scale[i] = sqrt(fit->products[members[i]][members[i]]);
    for (size_t i = 0; i < count; i++) {
        right[i] = fit->products[members[i]][POWER] / scale[i];
        for (size_t k = 0; k < count; k++)
            matrix[i * count + k] = fit->products[members[i]][members[k]] / (scale[i] * scale[k]);
    }
    gsl_matrix_view a = gsl_matrix_view_array(matrix, count, count);
    gsl_vector_view x = gsl_vector_view_array(right, count);
    if (gsl_linalg_cholesky_decomp1(&a.matrix) != 0)
        return false;
    for (size_t i = 0; i < count; i++)
        if (!(matrix[i * count + i] * matrix[i * count + i] > LEAST_PART))
            return false;
    gsl_linalg_cholesky_svx(&a.matrix, &x.vector);
    for (size_t i = 0; i < POWER_FIT_MOST; i++)
        watts[i] = 0;
    for (size_t i = 0; i < count; i++)
        watts[members[i]] = right[i] / scale[i];
    return watts[0] >= 0 && watts[1] >= 0 && watts[2] >= 0;
}

/* Sum of squares that the solution of a subset leaves. */
static double rest_of(const struct power_fit *fit, const double watts[static POWER_FIT_MOST]) {
    double rest = fit->products[POWER][POWER];
    for (int i = 0; i < POWER_FIT_MOST; i++)
        rest -= watts[i] * fit->products[i][POWER];
    return fmax(rest, 0);
}

bool power_fit_solve(const struct power_fit *fit, struct power_model *model) {
    double best[POWER_FIT_MOST] = {0}, rest = fit->products[POWER][POWER];
    unsigned usable = 0, active = 0;
    for (unsigned i = 0; i < POWER_FIT_MOST; i++)
        if (fit->products[i][i] > LEAST_VARIANCE * (double)fit->points)
            usable |= 1u << i;
    if (fit->points < FEWEST_POINTS || usable == 0)
        return false;
    for (unsigned subset = 1; subset < 1u << POWER_FIT_MOST; subset++) {
        double watts[POWER_FIT_MOST];
        if ((subset & ~usable) != 0 || !solve_subset(fit, subset, watts) ||
            !(rest_of(fit, watts) < rest))
            continue;
        rest = rest_of(fit, watts);
        active = subset;
        for (int i = 0; i < POWER_FIT_MOST; i++)
            best[i] = watts[i];
    }
    *model = (struct power_model){.idle_w = fit->means[POWER]};
    for (unsigned i = 0; i < POWER_FIT_MOST; i++) {
        model->watts[i] = usable >> i & 1 ? best[i] : NAN;
        model->idle_w -= best[i] * fit->means[i];
    }
    double parameters = 1 + __builtin_popcount(active);
    model->residual_w = sqrt(rest / ((double)fit->points - parameters));
    model->r_squared =
        fit->products[POWER][POWER] > 0 ? 1 - rest / fit->products[POWER][POWER] : NAN;
    return true;
}
