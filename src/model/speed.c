/* The speed model: see speed.h. */
#include "model/speed.h"

#include <math.h>

double speed_iteration_s(const struct speed_params *p, uint32_t k, uint32_t batch, enum easim_span span) {
    double local_s = pow(pow(p->a_s, p->gamma) + pow(p->c_s * batch, p->gamma), 1 / p->gamma);
    double sync_s = k == 1 ? 0 : p->alpha_s[span] + p->beta_s[span] * (k - 2);
    return local_s + sync_s;
}

double speed_rate(uint32_t k, uint32_t batch, double iteration_s) {
    return (double)k * batch / iteration_s;
}
