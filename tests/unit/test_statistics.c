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
        struct estimate e = statistics_estimate(cases[i].values, cases[i].count);
        double half = cases[i].t * cases[i].sd / sqrt((double)cases[i].n);
        cr_expect_eq(e.n, cases[i].n);
        cr_expect_float_eq(e.mean, cases[i].mean, 1e-15 * 10, "case %zu: mean %g", i, e.mean);
        cr_expect_float_eq(e.sd, cases[i].sd, 1e-12, "case %zu: sd %g", i, e.sd);
        cr_expect_float_eq(e.ci95, half, 5e-4 / cases[i].t * half + 1e-15, "case %zu: %g, not %g", i, e.ci95, half);
    }
}

Test(statistics, too_few) {
    static const double one[] = {NAN, 2.385}, none[] = {NAN, NAN};
    struct estimate e = statistics_estimate(one, 2);
    cr_assert(e.n == 1 && e.mean == 2.385 && isnan(e.sd) && isnan(e.ci95));
    e = statistics_estimate(none, 2);
    cr_assert(e.n == 0 && isnan(e.mean) && isnan(e.sd) && isnan(e.ci95));
    e = statistics_estimate(NULL, 0);
    cr_assert(e.n == 0 && isnan(e.mean));
}
