/* Bounds on other workloads: pairs worked by hand. */
#include "experiment/tune/tune.h"

#include <criterion/criterion.h>
#include <math.h>

#define COLUMN SUMMARY_COLUMN(energy_kwh)

static struct tune_checked check(const double *start, const double *tuned, size_t count,
                                 bool at_least, bool absolute, double limit) {
    struct summary first[4] = {0}, second[4] = {0};
    const struct tune_constraint c = {COLUMN, at_least, absolute, limit, NULL};
    for (size_t i = 0; i < count; i++) {
        first[i].energy_kwh = start[i];
        second[i].energy_kwh = tuned[i];
    }
    return tune_check(&c, first, second, count);
}

/* Means 20 and 21: +5 %. Excesses over 10 % more: 12 - 11, 20 - 22, 31 - 33 = 1, -2, -2: mean -1,
   sd sqrt(3), half of the interval t(2) = 4.302653 times sd / sqrt(3) = 4.302653: -1 + 4.3 is above
   0. */
Test(tune_check, relative) {
    const double start[] = {10, 20, 30}, tuned[] = {12, 20, 31};
    struct tune_checked c = check(start, tuned, 3, false, false, 0.1);
    cr_assert_float_eq(c.value, 0.05, 1e-12);
    cr_assert_float_eq(c.ci95, 4.302652730 / 20, 1e-9);
    cr_assert(c.mean == TUNE_KEPT && c.limit == TUNE_BROKEN);
    c = check(start, tuned, 3, false, false, 0.05); /* exactly as much as allowed */
    cr_assert(fabs(c.value - 0.05) < 1e-12 && c.limit == TUNE_BROKEN);
    c = check(start, tuned, 3, true, false, 0.06);
    cr_assert(c.mean == TUNE_BROKEN && c.limit == TUNE_BROKEN);
    cr_assert_float_eq(c.value, 0.05, 1e-12);
}

/* +10 %, and -6 +- 4.302653 beyond +40 %. */
Test(tune_check, by_the_limit) {
    const double start[] = {20, 20, 20}, tuned[] = {21, 21, 24};
    struct tune_checked c = check(start, tuned, 3, false, false, 0.4);
    cr_assert_float_eq(c.ci95, 4.302652730 / 20, 1e-9);
    cr_assert(c.mean == TUNE_KEPT && c.limit == TUNE_KEPT);
    c = check(start, tuned, 3, false, false, 0.3);
    cr_assert(c.mean == TUNE_KEPT && c.limit == TUNE_BROKEN);
}

/* Means -20 and -21: 5 % less, as a change by the size of the start. */
Test(tune_check, below_zero) {
    const double start[] = {-10, -20, -30}, tuned[] = {-12, -20, -31};
    struct tune_checked c = check(start, tuned, 3, true, false, -0.1);
    cr_assert_float_eq(c.value, -0.05, 1e-12);
    cr_assert_float_eq(c.ci95, 4.302652730 / 20, 1e-9);
    cr_assert(c.mean == TUNE_KEPT && c.limit == TUNE_BROKEN);
}

/* 12, 20, 31 against 40: mean 21, sd 9.539392, half of the interval 23.697163. */
Test(tune_check, absolute) {
    const double start[] = {0, 0, 0}, tuned[] = {12, 20, 31};
    struct tune_checked c = check(start, tuned, 3, false, true, 40);
    cr_assert_float_eq(c.value, 21, 1e-12);
    cr_assert_float_eq(c.ci95, 23.6971635, 1e-6);
    cr_assert(c.mean == TUNE_KEPT && c.limit == TUNE_BROKEN);
    c = check(start, tuned, 3, false, true, 45);
    cr_assert(c.mean == TUNE_KEPT && c.limit == TUNE_KEPT);
}

/* From nothing to something is no share; one run has no interval; a run without the metric has no
   mean. */
Test(tune_check, undefined) {
    const double nothing[] = {0, 0}, some[] = {0, 1}, missing[] = {1, NAN};
    struct tune_checked c = check(nothing, some, 2, false, false, 0.1);
    cr_assert(isnan(c.value) && c.mean == TUNE_BROKEN && c.limit == TUNE_BROKEN);
    c = check(nothing, nothing, 2, false, false, 0);
    cr_assert(isnan(c.value) && c.mean == TUNE_KEPT && c.limit == TUNE_KEPT);
    c = check(some + 1, some + 1, 1, false, false, 0);
    cr_assert(c.value == 0 && c.mean == TUNE_KEPT && c.limit == TUNE_UNKNOWN);
    c = check(some, missing, 2, false, false, 0);
    cr_assert(isnan(c.value) && c.mean == TUNE_UNKNOWN && c.limit == TUNE_UNKNOWN);
}
