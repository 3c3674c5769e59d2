/* Statistics over replications. The 97.5 % points of t are those of printed tables (NIST/SEMATECH
   e-Handbook 1.3.6.7.2): 12.706 with 1 degree of freedom, 2.776 with 4, 2.262 with 9. */
#include "experiment/statistics.h"

#include <criterion/criterion.h>
#include <math.h>

Test(statistics, t_interval) {
    static const struct {
        double values[10];
        size_t count, n;
        double mean, sd, t;
    } cases[] = {
        /* mean 3, squares 4 + 1 + 0 + 1 + 4 = 10, sd sqrt(10/4) */
        {{1, 2, 3, 4, 5}, 5, 5, 3, 1.5811388300841898, 2.776},
        {{2.385, 4.385}, 2, 2, 3.385, 1.4142135623730951, 12.706},
        /* 1..10: mean 5.5, squares 82.5, sd sqrt(82.5/9) */
        {{10, 1, 9, 2, 8, 3, 7, 4, 6, 5}, 10, 10, 5.5, 3.0276503540974917, 2.262},
        /* undefined ones are left out */
        {{1, NAN, 2, 3, NAN, 4, 5}, 7, 5, 3, 1.5811388300841898, 2.776},
        {{7.5, 7.5, 7.5, 7.5, 7.5}, 5, 5, 7.5, 0, 2.776},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct estimate e = t_interval_of(cases[i].values, cases[i].count);
        double half = cases[i].t * cases[i].sd / sqrt((double)cases[i].n);
        cr_expect_eq(e.n, cases[i].n);
        cr_expect_float_eq(e.mean, cases[i].mean, 1e-15 * 10, "case %zu: mean %g", i, e.mean);
        cr_expect_float_eq(e.sd, cases[i].sd, 1e-12, "case %zu: sd %g", i, e.sd);
        cr_expect_float_eq(e.ci95, half, 5e-4 / cases[i].t * half + 1e-15, "case %zu: %g, not %g",
                           i, e.ci95, half);
    }
}

Test(statistics, too_few) {
    static const double one[] = {NAN, 2.385}, none[] = {NAN, NAN};
    struct estimate e = t_interval_of(one, 2);
    cr_assert(e.n == 1 && e.mean == 2.385 && isnan(e.sd) && isnan(e.ci95));
    e = t_interval_of(none, 2);
    cr_assert(e.n == 0 && isnan(e.mean) && isnan(e.sd) && isnan(e.ci95));
    e = t_interval_of(NULL, 0);
    cr_assert(e.n == 0 && isnan(e.mean));
}

/* Differences 1, 2, 1, 4: mean 2, squares 1 + 0 + 1 + 4 = 6, sd sqrt(2), t = 2 / (sqrt(2)/2)
   = 2.828 with 3 degrees of freedom, for which P(|T| <= t) = 2/pi (x/(1 + x^2) + atan x), x =
   t/sqrt(3). The 97.5 % point is 3.182. */
Test(statistics, paired_t_test) {
    static const double values[] = {5, 7, NAN, 9, 12, 1}, base[] = {4, 5, 3, 8, 8, NAN};
    struct paired p = paired_test(values, base, 6);
    double x = 2.8284271247461903 / sqrt(3);
    cr_assert(p.diff.n == 4 && p.diff.mean == 2);
    cr_assert_float_eq(p.diff.ci95, 3.182 * sqrt(2) / 2, 5e-4);
    cr_assert_float_eq(p.p_value, 1 - 2 / M_PI * (x / (1 + x * x) + atan(x)), 1e-12);
    struct paired back = paired_test(base, values, 6);
    cr_assert(back.diff.mean == -2 && back.p_value == p.p_value);
}

Test(statistics, differences_that_do_not_vary) {
    static const double values[] = {2.385, 1e9, -3}, shifted[] = {3.385, 1e9 + 1, -2},
                        none[] = {NAN, NAN, NAN};
    struct paired p = paired_test(values, values, 3);
    cr_assert(p.diff.n == 3 && p.diff.mean == 0 && p.diff.ci95 == 0 && p.p_value == 1);
    p = paired_test(shifted, values, 3);
    cr_assert(p.diff.mean == 1 && isnan(p.p_value), "a constant difference has no test");
    p = paired_test(values, shifted, 1);
    cr_assert(p.diff.n == 1 && p.diff.mean == -1 && isnan(p.diff.ci95) && isnan(p.p_value));
    p = paired_test(values, none, 3);
    cr_assert(p.diff.n == 0 && isnan(p.diff.mean) && isnan(p.p_value) && isnan(p.ratio));
}

/* Ratios 2 and 4: the mean of their logarithms is ln(2 sqrt 2), its half width 12.706 (ln 2 / sqrt
 * 2) / sqrt 2. */
Test(statistics, geometric_ratio) {
    static const double values[] = {2, NAN, 8}, base[] = {1, 5, 2}, zero[] = {1, 5, 0};
    struct paired p = paired_test(values, base, 3);
    cr_assert_float_eq(p.ratio, 2 * sqrt(2), 1e-12);
    cr_assert_float_eq(log(p.ratio_high / p.ratio), 12.706 * log(2) / 2, 5e-4);
    cr_assert_float_eq(log(p.ratio / p.ratio_low), 12.706 * log(2) / 2, 5e-4);
    p = paired_test(values, zero, 3);
    cr_assert(p.diff.n == 2 && isnan(p.ratio) && isnan(p.ratio_low) && isnan(p.ratio_high));
}

/* By hand: sorted 0.005 0.01 0.03 0.04 times 4 3 2 1 gives 0.02 0.03 0.06 0.04, the last raised to
 * 0.06. */
Test(statistics, holm) {
    static const double p[] = {0.01, NAN, 0.04, 0.03, 0.005},
                        expected[] = {0.03, NAN, 0.06, 0.06, 0.02};
    double adjusted[5];
    paired_test_holm(p, 5, adjusted);
    for (int i = 0; i < 5; i++)
        cr_expect(isnan(p[i]) ? isnan(adjusted[i]) : fabs(adjusted[i] - expected[i]) < 1e-15,
                  "%d: %g", i, adjusted[i]);
    paired_test_holm((const double[]){0.7, 0.6, 0.7}, 3, adjusted);
    cr_assert(adjusted[0] == 1 && adjusted[1] == 1 && adjusted[2] == 1, "never above 1");
}

/* Means 4 and 2; what is left of values - 2 base is 1 and -1: sd sqrt 2, half width 12.706 / 2. */
Test(statistics, ratio_of_means) {
    static const double values[] = {3, NAN, 5}, base[] = {1, 7, 3}, none[] = {0, 0, 0};
    struct ratio r = ratio_estimate(values, base, 3);
    cr_assert(r.n == 2 && r.mean == 4 && r.base_mean == 2 && r.ratio == 2);
    cr_assert_float_eq(r.ci95, 12.706 / 2, 5e-4);
    r = ratio_estimate(base, base, 3);
    cr_assert(r.ratio == 1 && r.ci95 == 0);
    r = ratio_estimate(values, none, 3);
    cr_assert(r.n == 2 && r.base_mean == 0 && isnan(r.ratio) && isnan(r.ci95));
}

/* The ratio of e^1, e^2, e^1, e^4 to 1: logarithms as above, t = 2.828 with 3 degrees of freedom.
 */
Test(statistics, test_of_a_ratio) {
    const double values[] = {exp(1), exp(2), exp(1), exp(4)}, base[] = {1, 1, 1, 1};
    struct paired p = paired_test(values, base, 4);
    double x = 2 / (sqrt(2) / 2) / sqrt(3), expected = 1 - 2 / M_PI * (x / (1 + x * x) + atan(x));
    cr_expect_float_eq(p.ratio_p, expected, 1e-12, "%g", p.ratio_p);
    cr_expect_float_eq(p.ratio, exp(2), 1e-12);
    p = paired_test(base, base, 4);
    cr_expect_eq(p.ratio_p, 1, "no pair differs");
    const double negative[] = {-1, 1, 1, 1};
    cr_expect(isnan(paired_test(negative, base, 4).ratio_p));
}

/* 0, 0, 0, 8: mean 2, squares 3 x 4 + 36 = 48, cubes 3 x -8 + 216 = 192; g1 = 48 / 12^1.5, times
   sqrt(12) / 2. */
Test(statistics, skewness) {
    const double values[] = {0, NAN, 0, 0, 8}, even[] = {1, 2, 3}, one[] = {4, 4, 4};
    cr_expect_float_eq(t_interval_skewness(values, 5), 48 / pow(12, 1.5) * sqrt(12) / 2, 1e-12);
    cr_expect_float_eq(t_interval_skewness(even, 3), 0, 1e-12);
    cr_expect(isnan(t_interval_skewness(one, 3)) && isnan(t_interval_skewness(even, 2)));
    cr_expect_eq(t_interval_count(2), 100);
    cr_expect_eq(t_interval_count(-1.1), 31);
}

/* Of all 4^4 resamples of 1, 2, 4, 8 the t-statistics are enumerated; the ends of the interval lie
   between quantiles that 9,999 random ones cannot miss by more than six standard deviations. */
Test(statistics, bootstrap) {
    const double values[] = {1, 2, 4, 8};
    const struct estimate plain = t_interval_of(values, 4);
    double error = plain.sd / 2, t[256], p = NAN;
    for (int r = 0; r < 256; r++) {
        double sample[4];
        for (int i = 0; i < 4; i++)
            sample[i] = values[r >> 2 * i & 3];
        const struct estimate e = t_interval_of(sample, 4);
        t[r] = e.sd > 0 ? (e.mean - plain.mean) / (e.sd / 2)
                        : (e.mean > plain.mean ? INFINITY : -INFINITY);
    }
    struct estimate e = plain;
    gsl_rng *rng = rng_create(1, 2, "test");
    bootstrap_t(values, 4, rng, &e, &p);
    gsl_rng_free(rng);
    double above = (plain.mean - e.low) / error, below = (plain.mean - e.high) / error, more = 0,
           less = 0;
    for (int r = 0; r < 256; r++) {
        more += t[r] > above + 1e-9;
        less += t[r] < below - 1e-9;
    }
    const double room = 6 * sqrt(0.025 * 0.975 / BOOTSTRAP_RESAMPLES);
    cr_expect(e.skewed && e.mean == plain.mean && e.ci95 == (e.high - e.low) / 2);
    cr_expect(more / 256 <= 0.025 + room && less / 256 <= 0.025 + room, "%g %g", more, less);
    cr_expect(p > 0 && p <= 1 && (p < 0.05) == (e.low > 0 || e.high < 0), "%g", p);
    const double few[] = {1, 2, 5}, alike[] = {3, 3, 3, 3};
    struct estimate same = t_interval_of(few, 3);
    bootstrap_t(few, 3, NULL, &same, &p);
    cr_expect(!same.skewed);
    same = t_interval_of(alike, 4);
    bootstrap_t(alike, 4, NULL, &same, &p);
    cr_expect(!same.skewed && same.ci95 == 0);
}
