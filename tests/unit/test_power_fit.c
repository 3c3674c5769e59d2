/* Fits of power to activities: known coefficients, with and without noise. */
#include "ingest/telemetry/telemetry_report.h"

#include <criterion/criterion.h>
#include <gsl/gsl_errno.h>
#include <math.h>

#define NEAR(a, b, tolerance) \
    cr_assert_float_eq(a, b, tolerance, "%.17g is not %.17g", (double)(a), (double)(b))

/* 0..1, spread evenly and not alike for different roots (fractions of multiples of irrational
 * numbers). */
static double ratio(int i, double root) {
    return fmod(i * sqrt(root), 1);
}

static void activities_of(int i, double x[static POWER_FIT_MOST]) {
    x[0] = ratio(i, 2);
    x[1] = ratio(i, 3) * x[0];
    x[2] = ratio(i, 5);
}

Test(power_fit, exact) {
    struct power_fit fit = {0};
    struct power_model model;
    double x[POWER_FIT_MOST];
    for (int i = 0; i < 100; i++) {
        activities_of(i, x);
        power_fit_add(&fit, x, 71.5 + 180.25 * x[0] + 330 * x[1] + 95.75 * x[2]);
    }
    cr_assert(power_fit_solve(&fit, &model));
    NEAR(model.idle_w, 71.5, 1e-9);
    NEAR(model.watts[0], 180.25, 1e-9);
    NEAR(model.watts[1], 330, 1e-9);
    NEAR(model.watts[2], 95.75, 1e-9);
    NEAR(model.r_squared, 1, 1e-12);
    NEAR(model.residual_w, 0, 1e-4); /* a difference of sums near 1e6 */
}

/* Noise of +-5 W in pairs: each place is seen twice, once with either, so the coefficients are
   exact, and the residual is 5 W * sqrt(n / (n - 4)). */
Test(power_fit, noise) {
    struct power_fit fit = {0};
    struct power_model model;
    double x[POWER_FIT_MOST];
    for (int i = 0; i < 200; i++) {
        activities_of(i / 2, x);
        power_fit_add(&fit, x, 71.5 + 180.25 * x[0] + 330 * x[1] + 95.75 * x[2] + (i % 2 ? 5 : -5));
    }
    cr_assert(power_fit_solve(&fit, &model));
    NEAR(model.idle_w, 71.5, 1e-9);
    NEAR(model.watts[1], 330, 1e-9);
    NEAR(model.residual_w, 5 * sqrt(200.0 / 196), 1e-9);
    NEAR(model.r_squared, 1 - 200 * 25 / fit.products[POWER_FIT_MOST][POWER_FIT_MOST], 1e-12);
    cr_assert(model.r_squared > 0.9 && model.r_squared < 1);
}

/* Power falls with x[2]: its part is 0, and the others are what least squares without it finds. The
   Karush-Kuhn-Tucker conditions, which only the minimum fulfils: the residuals are orthogonal to 1,
   x[0] and x[1], and fall along x[2]. */
Test(power_fit, not_negative) {
    struct power_fit fit = {0};
    struct power_model model;
    double x[POWER_FIT_MOST], sums[POWER_FIT_MOST + 1] = {0};
    for (int i = 0; i < 50; i++) {
        activities_of(i, x);
        power_fit_add(&fit, x, 100 + 150 * x[0] + 60 * x[1] - 40 * x[2]);
    }
    cr_assert(power_fit_solve(&fit, &model));
    cr_assert_eq(model.watts[2], 0);
    cr_assert(model.watts[0] > 0 && model.watts[1] > 0 && model.r_squared < 1);
    for (int i = 0; i < 50; i++) {
        activities_of(i, x);
        double rest = 100 + 150 * x[0] + 60 * x[1] - 40 * x[2] - model.idle_w;
        for (int k = 0; k < POWER_FIT_MOST; k++)
            rest -= model.watts[k] * x[k];
        for (int k = 0; k < POWER_FIT_MOST; k++)
            sums[k] += rest * x[k];
        sums[POWER_FIT_MOST] += rest;
    }
    NEAR(sums[0], 0, 1e-9);
    NEAR(sums[1], 0, 1e-9);
    NEAR(sums[POWER_FIT_MOST], 0, 1e-9);
    cr_assert(sums[2] < 0);
}

/* x[1] is twice x[0]: only what both give together is known. x[2] never changes. */
Test(power_fit, not_told_apart) {
    struct power_fit fit = {0};
    struct power_model model;
    gsl_set_error_handler_off();
    for (int i = 0; i < 20; i++)
        power_fit_add(&fit, (double[]){ratio(i, 2) / 2, ratio(i, 2), 0.25}, 50 + 30 * ratio(i, 2));
    cr_assert(power_fit_solve(&fit, &model));
    NEAR(model.watts[0] / 2 + model.watts[1], 30, 1e-9);
    NEAR(model.idle_w, 50, 1e-9);
    cr_assert(isnan(model.watts[2]));
}

Test(power_fit, too_little) {
    struct power_fit few = {0}, idle = {0};
    struct power_model model;
    for (int i = 0; i < 7; i++)
        power_fit_add(&few, (double[]){ratio(i, 2), 0, 0}, 50 + i);
    for (int i = 0; i < 100; i++)
        power_fit_add(&idle, (double[]){0, 0, 0}, 50 + i % 2);
    cr_assert(!power_fit_solve(&few, &model));
    cr_assert(!power_fit_solve(&idle, &model));
    power_fit_add(&few, (double[]){ratio(7, 2), 0, 0}, 57);
    cr_assert(power_fit_solve(&few, &model));
}
