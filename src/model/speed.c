/* The speed model: see speed.h. */
#include "model/speed.h"

#include <math.h>

static double p_norm(double x, double y, double gamma) {
    if (gamma == 1)
        return x + y;
    return pow(pow(x, gamma) + pow(y, gamma), 1 / gamma);
}

double speed_iteration_s(const struct speed_params *p, uint32_t k, uint32_t batch,
                         enum easim_span span) {
    double local_s = p_norm(p->a_s, p->c_s * batch, p->gamma);
    double sync_s = k == 1 ? 0 : p->alpha_s[span] + p->beta_s[span] * (k - 2);
    if (p->scaling_exponent != 0)
        local_s *= pow(k, p->scaling_exponent);
    return p_norm(local_s, sync_s, p->sync_gamma);
}

double speed_rate(uint32_t k, uint32_t batch, double iteration_s) {
    return (double)k * batch / iteration_s;
}
