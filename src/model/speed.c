/* The speed model: see speed.h. */
#include "model/speed.h"

#include <math.h>

static double p_norm(double x, double y, double gamma) {
    if (gamma == 1)
        return x + y;
    return pow(pow(x, gamma) + pow(y, gamma), 1 / gamma);
}

double speed_iteration_s(const struct speed_params *params, uint32_t k, double batch,
                         enum easim_span span) {
    double local_s = p_norm(params->a_s, params->c_s * batch, params->gamma);
    double sync_s = k == 1 ? 0 : params->alpha_s[span] + params->beta_s[span] * (k - 2);
    if (params->scaling_exponent != 0)
        local_s *= pow(k, params->scaling_exponent);
    return p_norm(local_s, sync_s, params->sync_gamma);
}

double speed_rate(uint32_t k, double batch, double iteration_s) {
    return k * batch / iteration_s;
}
