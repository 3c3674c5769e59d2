/* Power of one GPU (semantics 3.3). Pure functions. */
#ifndef EASIM_MODEL_POWER_H
#define EASIM_MODEL_POWER_H

struct power_params {
    double p0_w;   /* computing, but at no samples/s */
    double pmax_w; /* at saturation, 1/c_s samples/s */
};

/* In place of a power that was never measured: above the tdp_w of every GPU, so that the limit is
 * what counts. */
#define POWER_UNKNOWN_W 1e9

/* P = min(tdp_w, p0 + (pmax - p0)*c_s * rate_per_gpu): linear in the samples/s of one GPU. */
double power_training_w(const struct power_params *params, double c_s, double rate_per_gpu,
                        double tdp_w);
/* A job known only by its run time: busy + utilization*(tdp - busy), utilization in 0..1. */
double power_rigid_w(double busy_w, double tdp_w, double utilization);

#endif
