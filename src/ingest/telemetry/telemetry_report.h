/* Power as linear in activities: P = idle + sum of c_i * x_i with c_i >= 0, by least squares. */
#ifndef EASIM_INGEST_TELEMETRY_TELEMETRY_REPORT_H
#define EASIM_INGEST_TELEMETRY_TELEMETRY_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#define POWER_FIT_MOST 3 /* activities */

/* Means and sums of products of deviations, point after point. Zero-initialise. */
struct power_fit {
    uint64_t points;
    double means[POWER_FIT_MOST + 1]; /* the last one is power */
    double products[POWER_FIT_MOST + 1][POWER_FIT_MOST + 1];
};

struct power_model {
    double idle_w, watts[POWER_FIT_MOST]; /* NAN: an activity that never changes, so that its part
                                             is in idle_w */
    double r_squared, residual_w;         /* residual: standard deviation, n - parameters */
};

void power_fit_add(struct power_fit *fit, const double activities[static POWER_FIT_MOST],
                   double power_w);
/* False if there are too few points, or no activity changes. An activity that never changes counts
   as not given. */
bool power_fit_solve(const struct power_fit *fit, struct power_model *model);

#endif
