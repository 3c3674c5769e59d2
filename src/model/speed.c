/* The speed model: see speed.h. */
#include "model/speed.h"

#include <math.h>

static double p_norm(double x, double y, double gamma) {
    if (gamma == 1)
        return x + y;
    return pow(pow(x, gamma) + pow(y, gamma), 1 / gamma);
}

double speed_sync_s(const struct speed_params *params, uint32_t k, uint32_t nodes) {
    const enum easim_span span = nodes > 1 ? EASIM_ACROSS_NODES : EASIM_ONE_NODE;
    if (k == 1)
        return 0;
    if (span == EASIM_ACROSS_NODES && params->sync_inter == SYNC_LAW_LOG2)
        return params->alpha_s[span] + params->beta_s[span] * log2(nodes);
    return params->alpha_s[span] + params->beta_s[span] * (k - 2);
}

uint32_t speed_nodes(uint32_t k, uint32_t node_gpus, uint32_t span) {
    uint32_t full = k / node_gpus + (k % node_gpus > 0);
    return span == EASIM_ONE_NODE ? 1 : full < 2 ? 2 : full;
}

double speed_iteration_s(const struct speed_params *params, uint32_t k, double batch,
                         uint32_t nodes) {
    double local_s = p_norm(params->a_s, params->c_s * batch, params->gamma);
    double sync_s = speed_sync_s(params, k, nodes);
    if (params->scaling_exponent != 0)
        local_s *= pow(k, params->scaling_exponent);
    return p_norm(local_s, sync_s, params->sync_gamma);
}

double speed_rate(uint32_t k, double batch, double iteration_s) {
    return k * batch / iteration_s;
}
