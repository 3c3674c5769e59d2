/* Laws of uncertain values: moments and ranges of many draws against closed forms. */
#include "config/uncertainty.h"

#include "base/rng.h"

#include <criterion/criterion.h>
#include <math.h>

#define DRAWS 200000

struct sample {
    double mean, sd, least, most;
};

/* Of the draws, or of their logarithms. */
static struct sample sample_of(const struct value_law *law, bool logarithms) {
    struct sample s = {.least = INFINITY, .most = -INFINITY};
    gsl_rng *rng = rng_create(2385, 0, "test");
    double squares = 0;
    for (int i = 0; i < DRAWS; i++) {
        double x = value_law_draw(law, rng);
        x = logarithms ? log(x) : x;
        s.mean += x / DRAWS;
        squares += x * x / DRAWS;
        s.least = fmin(s.least, x);
        s.most = fmax(s.most, x);
    }
    s.sd = sqrt(squares - s.mean * s.mean);
    gsl_rng_free(rng);
    return s;
}

/* Within 4 standard errors of the mean; the deviation within 1 %, over 4 of its own. */
static void assert_moments(const struct sample *s, double mean, double sd) {
    cr_assert(fabs(s->mean - mean) < 4 * sd / sqrt(DRAWS), "mean %g, not %g", s->mean, mean);
    cr_assert(fabs(s->sd / sd - 1) < 0.01, "deviation %g, not %g", s->sd, sd);
}

/* U(a, b): mean (a + b) / 2, variance (b - a)^2 / 12. */
Test(value_law, uniform) {
    const struct sample s =
        sample_of(&(struct value_law){.kind = LAW_UNIFORM, .at = {0.78, 0.99}}, false);
    assert_moments(&s, 0.885, 0.21 / sqrt(12));
    cr_assert(s.least >= 0.78 && s.most < 0.99 && s.least < 0.7801 && s.most > 0.9899);
}

/* Its logarithm is uniform. */
Test(value_law, loguniform) {
    const struct sample s =
        sample_of(&(struct value_law){.kind = LAW_LOGUNIFORM, .at = {0.7, 1.4}}, true);
    assert_moments(&s, (log(0.7) + log(1.4)) / 2, log(2) / sqrt(12));
    cr_assert(s.least >= log(0.7) - 1e-15 && s.most <= log(1.4) + 1e-15);
}

Test(value_law, normal) {
    const struct sample s =
        sample_of(&(struct value_law){.kind = LAW_NORMAL, .at = {60, 7}}, false);
    assert_moments(&s, 60, 7);
}

/* Its logarithm is normal around that of the median. */
Test(value_law, lognormal) {
    const struct sample s =
        sample_of(&(struct value_law){.kind = LAW_LOGNORMAL, .at = {113, 0.4}}, true);
    assert_moments(&s, log(113), 0.4);
}

/* Each of 7 values as often as any other: chi-square with 6 degrees, 22.5 in one of 1,000. */
Test(value_law, choice) {
    const struct yaml_node values = {.kind = YAML_NODE_SEQUENCE, .count = 7};
    const struct value_law law = {.kind = LAW_CHOICE, .values = &values};
    gsl_rng *rng = rng_create(2385, 0, "test");
    double counts[7] = {0}, chi_square = 0;
    for (int i = 0; i < DRAWS; i++)
        counts[value_law_choose(&law, rng)]++;
    for (int i = 0; i < 7; i++)
        chi_square += pow(counts[i] - DRAWS / 7.0, 2) / (DRAWS / 7.0);
    cr_assert(chi_square < 22.5, "%g", chi_square);
    gsl_rng_free(rng);
}

/* Of N(1, 2) what is above 0: with a = -1/2, p and P the density and distribution of N(0, 1) and
   l = p(a) / (1 - P(a)), mean 1 + 2 l and variance 4 (1 + a l - l^2). */
Test(value_law, normal_above_zero) {
    const struct value_law law = {.kind = LAW_NORMAL, .at = {1, 2}};
    double a = -0.5, l = exp(-a * a / 2) / sqrt(2 * M_PI) / (0.5 * erfc(a / sqrt(2)));
    struct sample s = {.least = INFINITY};
    gsl_rng *rng = rng_create(2385, 0, "test");
    double squares = 0;
    for (int i = 0; i < DRAWS; i++) {
        double x = value_law_draw_positive(&law, rng);
        s.mean += x / DRAWS;
        squares += x * x / DRAWS;
        s.least = fmin(s.least, x);
    }
    s.sd = sqrt(squares - s.mean * s.mean);
    assert_moments(&s, 1 + 2 * l, 2 * sqrt(1 + a * l - l * l));
    cr_assert(s.least > 0 && s.least < 1e-3);
    gsl_rng_free(rng);
}
