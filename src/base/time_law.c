/* Laws of times: see time_law.h. */
#include "base/time_law.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <stddef.h>

const char *const time_law_names[] = {
    [TIME_LAW_EXPONENTIAL] = "exponential",
    [TIME_LAW_WEIBULL] = "weibull",
    [TIME_LAW_LOGNORMAL] = "lognormal",
    [TIME_LAW_COUNT] = NULL,
};

double time_law_mean_over_scale(enum time_law_kind kind, double shape) {
    return kind == TIME_LAW_WEIBULL     ? tgamma(1 + 1 / shape)
           : kind == TIME_LAW_LOGNORMAL ? exp(shape * shape / 2)
                                        : 1;
}

static double law_scale_s(const struct time_law *law) {
    return law->mean_s / time_law_mean_over_scale(law->kind, law->shape);
}

double time_law_draw(const struct time_law *law, gsl_rng *rng) {
    if (law->kind == TIME_LAW_WEIBULL)
        return law_scale_s(law) * pow(-log1p(-gsl_rng_uniform(rng)), 1 / law->shape);
    if (law->kind == TIME_LAW_LOGNORMAL)
        return law_scale_s(law) *
               exp(law->shape * gsl_cdf_ugaussian_Pinv(gsl_rng_uniform_pos(rng)));
    return gsl_ran_exponential(rng, law->mean_s);
}

/* Of Weibull's law, (time / scale)^k with chances by length has the law Gamma(1 + 1/k); of the
   lognormal, the logarithm moves by sigma^2. */
double time_law_draw_rest(const struct time_law *law, gsl_rng *rng) {
    if (law->kind == TIME_LAW_EXPONENTIAL)
        return time_law_draw(law, rng);
    double part = gsl_rng_uniform_pos(rng), u = gsl_rng_uniform_pos(rng), k = law->shape;
    if (law->kind == TIME_LAW_WEIBULL)
        return part * law_scale_s(law) * pow(gsl_cdf_gamma_Pinv(u, 1 + 1 / k, 1), 1 / k);
    return part * law_scale_s(law) * exp(k * k + k * gsl_cdf_ugaussian_Pinv(u));
}
