/* A step takes t = (c^g + s^g)^(1/g) of compute time c and synchronisation s, which has the closed
   inverse used here: see scaling_efficiency.h. */
#include "model/scaling_efficiency.h"

#include <math.h>

#define ROUNDING 1e-14 /* of a time, relative: what a few operations may lose */

static double iteration_s(const struct scaling *scaling, uint32_t k, double steps) {
    return steps * speed_iteration_s(&scaling->params, k, scaling->batch / steps, 1);
}

double scaling_efficiency(const struct scaling *scaling) {
    return iteration_s(scaling, 1, scaling->steps_alone) /
           iteration_s(scaling, scaling->k, scaling->steps);
}

double scaling_alpha_s(const struct scaling *scaling, double efficiency) {
    struct scaling alone = *scaling;
    alone.params.alpha_s[EASIM_ONE_NODE] = alone.params.beta_s[EASIM_ONE_NODE] = 0;
    double whole_s = iteration_s(scaling, 1, scaling->steps_alone) / efficiency;
    double step_s = whole_s / scaling->steps, gamma = scaling->params.sync_gamma;
    double compute_s = iteration_s(&alone, scaling->k, scaling->steps) / scaling->steps;
    if (compute_s > step_s * (1 + ROUNDING))
        return -compute_s;
    double share = gamma == 1 ? 1 - compute_s / step_s
                              : pow(-expm1(gamma * log(compute_s / step_s)), 1 / gamma);
    double others_s = scaling->params.beta_s[EASIM_ONE_NODE] * (scaling->k - 2);
    double alpha_s = step_s * fmax(0, share) - others_s;
    return fabs(alpha_s) <= ROUNDING * step_s ? 0 : alpha_s;
}

void scaling_set_alpha_s(struct speed_params *params, double alpha_s) {
    double *within = &params->alpha_s[EASIM_ONE_NODE],
           *across = &params->alpha_s[EASIM_ACROSS_NODES];
    *across = *within > 0 ? *across * (alpha_s / *within) : *across + alpha_s;
    *within = alpha_s;
}
