/* Power of one GPU: see power.h. */
#include "model/power.h"

#include <math.h>

double power_training_w(const struct power_params *params, double c_s, double rate_per_gpu,
                        double tdp_w) {
    return fmin(tdp_w, params->p0_w + (params->pmax_w - params->p0_w) * c_s * rate_per_gpu);
}

double power_rigid_w(double busy_w, double tdp_w, double utilization) {
    return busy_w + utilization * (tdp_w - busy_w);
}
