/* Model noise: see speed_noise.h. */
#include "workload/speed_noise.h"

#include "base/rng.h"

#include <gsl/gsl_randist.h>
#include <stdio.h>

double speed_noise(const struct noise_draw *draw, uint32_t job, enum job_kind kind) {
    double sigma = draw->speed_sigma;
    if (sigma == 0 || kind == JOB_KIND_RIGID)
        return 1;
    char name[32];
    snprintf(name, sizeof name, "noise/%u", job);
    gsl_rng *rng = rng_create(draw->seed, draw->replication, name);
    double noise = gsl_ran_lognormal(rng, -sigma * sigma / 2, sigma);
    gsl_rng_free(rng);
    return noise;
}
