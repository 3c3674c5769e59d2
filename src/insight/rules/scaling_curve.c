/* Speed over GPUs: see scaling_curve.h. */
#include "insight/rules/scaling_curve.h"

#include <math.h>

void scaling_curve_make(struct scaling_curve *curve, struct kept_configs configs,
                        uint32_t gpu_type) {
    curve->count = 0;
    for (uint32_t i = 0; i < configs.count; i++) {
        const struct easim_config *c = &configs.at[i];
        if (c->gpu_type != gpu_type || c->milli > 0 || isfinite(c->power_limit_w) ||
            c->goodput[c->empty_span] <= 0)
            continue;
        const struct easim_config **last = &curve->at[curve->count > 0 ? curve->count - 1 : 0];
        if (curve->count == 0 || (*last)->k != c->k) {
            if (curve->count < CONFIG_MAX_CHOICES)
                curve->at[curve->count++] = c;
        } else if (c->goodput[c->empty_span] > (*last)->goodput[(*last)->empty_span]) {
            *last = c;
        }
    }
}

uint32_t scaling_curve_find(const struct scaling_curve *curve, uint32_t k) {
    uint32_t at = 0;
    while (at < curve->count && curve->at[at]->k != k)
        at++;
    return at;
}

static double speed_at(const struct scaling_curve *curve, uint32_t place) {
    const struct easim_config *c = curve->at[place];
    return c->goodput[c->empty_span];
}

static double speed_of_one(const struct scaling_curve *curve) {
    return speed_at(curve, 0) / curve->at[0]->k;
}

double scaling_efficiency_at(const struct scaling_curve *curve, uint32_t place) {
    return speed_at(curve, place) / curve->at[place]->k / speed_of_one(curve);
}

double scaling_marginal(const struct scaling_curve *curve, uint32_t place) {
    uint32_t more = curve->at[place]->k - curve->at[place - 1]->k;
    return (speed_at(curve, place) - speed_at(curve, place - 1)) / more / speed_of_one(curve);
}
