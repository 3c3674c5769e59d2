/* Laws of uncertain values: moments and ranges of many draws against closed forms. */
#include "config/value_law.h"

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
    const struct sample s = sample_of(&(struct value_law){LAW_UNIFORM, {0.78, 0.99}, NULL}, false);
    assert_moments(&s, 0.885, 0.21 / sqrt(12));
    cr_assert(s.least >= 0.78 && s.most < 0.99 && s.least < 0.7801 && s.most > 0.9899);
}

/* Its logarithm is uniform. */
Test(value_law, loguniform) {
    const struct sample s = sample_of(&(struct value_law){LAW_LOGUNIFORM, {0.7, 1.4}, NULL}, true);
    assert_moments(&s, (log(0.7) + log(1.4)) / 2, log(2) / sqrt(12));
    cr_assert(s.least >= log(0.7) - 1e-15 && s.most <= log(1.4) + 1e-15);
}

Test(value_law, normal) {
    const struct sample s = sample_of(&(struct value_law){LAW_NORMAL, {60, 7}, NULL}, false);
    assert_moments(&s, 60, 7);
}

/* Its logarithm is normal around that of the median. */
Test(value_law, lognormal) {
    const struct sample s = sample_of(&(struct value_law){LAW_LOGNORMAL, {113, 0.4}, NULL}, true);
    assert_moments(&s, log(113), 0.4);
}

/* Each of 7 values as often as any other: chi-square with 6 degrees, 22.5 in one of 1,000. */
Test(value_law, choice) {
    const struct yaml_node values = {.kind = YAML_NODE_SEQUENCE, .count = 7};
    const struct value_law law = {LAW_CHOICE, {0, 0}, &values};
    gsl_rng *rng = rng_create(2385, 0, "test");
    double counts[7] = {0}, chi_square = 0;
    for (int i = 0; i < DRAWS; i++)
        counts[value_law_choose(&law, rng)]++;
    for (int i = 0; i < 7; i++)
        chi_square += pow(counts[i] - DRAWS / 7.0, 2) / (DRAWS / 7.0);
    cr_assert(chi_square < 22.5, "%g", chi_square);
    gsl_rng_free(rng);
}
