/* Laws of times. Expected: means as given, the medians and tails of the laws in closed form, and
   what is left of a time at an ordinary moment, whose mean is E[X^2] / (2 E[X]) and whose chance to
   exceed t is the integral of the survival from t on over the mean (here by steps). */
#include "base/rng.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#define DRAWS 40000

static const struct time_law laws[] = {
    {TIME_LAW_EXPONENTIAL, 3600, NAN}, {TIME_LAW_WEIBULL, 3600, 0.6},   {TIME_LAW_WEIBULL, 3600, 3},
    {TIME_LAW_LOGNORMAL, 3600, 0.4},   {TIME_LAW_LOGNORMAL, 3600, 1.1},
};
#define LAWS (sizeof laws / sizeof *laws)

/* From the papers' forms, not by the functions under test. */
static double survival(const struct time_law *law, double t_s) {
    if (law->kind == TIME_LAW_WEIBULL)
        return exp(-pow(t_s * tgamma(1 + 1 / law->shape) / law->mean_s, law->shape));
    if (law->kind == TIME_LAW_LOGNORMAL) {
        double mu = log(law->mean_s) - law->shape * law->shape / 2;
        return 0.5 * erfc((log(t_s) - mu) / law->shape / M_SQRT2);
    }
    return exp(-t_s / law->mean_s);
}

/* By the middles of steps, fine ones where the survival of small exponents falls fast. */
static double rest_survival(const struct time_law *law, double t_s) {
    double sum = 0, last_s = t_s;
    for (double next_s = fmax(t_s, 1e-6 * law->mean_s); last_s < 3000 * law->mean_s;
         next_s *= 1.01) {
        sum += (next_s - last_s) * survival(law, (last_s + next_s) / 2);
        last_s = next_s;
    }
    return sum / law->mean_s;
}

static int compare(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* The largest distance of distributions, which is below 1.95 / sqrt(n) in 99.9 % of all cases
   (Kolmogorov). */
static double distance(double *drawn, const struct time_law *law,
                       double (*expected)(const struct time_law *, double)) {
    double most = 0;
    qsort(drawn, DRAWS, sizeof *drawn, compare);
    for (int i = 0; i < DRAWS; i += 400) {
        double below = 1 - expected(law, drawn[i]);
        most = fmax(most, fmax(fabs(below - (double)i / DRAWS), fabs(below - (i + 1.0) / DRAWS)));
    }
    return most;
}

Test(time_law, distributions) {
    double *drawn = calloc(DRAWS, sizeof *drawn);
    for (size_t i = 0; i < LAWS; i++) {
        gsl_rng *rng = rng_create(4, (uint32_t)i, "law");
        for (int n = 0; n < DRAWS; n++)
            drawn[n] = time_law_draw(&laws[i], rng);
        cr_expect_lt(distance(drawn, &laws[i], survival), 1.95 / sqrt(DRAWS), "law %zu", i);
        for (int n = 0; n < DRAWS; n++)
            drawn[n] = time_law_draw_rest(&laws[i], rng);
        cr_expect_lt(distance(drawn, &laws[i], rest_survival), 1.95 / sqrt(DRAWS),
                     "rest of law %zu", i);
        gsl_rng_free(rng);
    }
    free(drawn);
}

/* Weibull's law with exponent 1 is the exponential, number for number. */
Test(time_law, weibull_of_one) {
    struct time_law weibull = {TIME_LAW_WEIBULL, 77, 1},
                    exponential = {TIME_LAW_EXPONENTIAL, 77, NAN};
    gsl_rng *a = rng_create(1, 0, "x"), *b = rng_create(1, 0, "x");
    for (int n = 0; n < 10000; n++) {
        double x = time_law_draw(&weibull, a), y = time_law_draw(&exponential, b);
        cr_assert(fabs(x - y) <= 1e-12 * y, "%.17g, %.17g", x, y);
    }
    gsl_rng_free(a);
    gsl_rng_free(b);
}

/* All shapes that scenarios may have: finite times, also from the ends of the uniform numbers. */
Test(time_law, all_shapes) {
    for (int kind = TIME_LAW_WEIBULL; kind < TIME_LAW_COUNT; kind++)
        for (double shape = TIME_LAW_MIN_SHAPE; shape <= TIME_LAW_MAX_SHAPE; shape *= 1.3) {
            struct time_law law = {(enum time_law_kind)kind, 1, shape};
            gsl_rng *rng = rng_create(3, 0, "x");
            for (int n = 0; n < 3000; n++) {
                double draw = time_law_draw(&law, rng), rest = time_law_draw_rest(&law, rng);
                cr_assert(draw >= 0 && isfinite(draw) && rest >= 0 && isfinite(rest), "%d %g", kind,
                          shape);
            }
            gsl_rng_free(rng);
        }
}
