/* Carbon intensity and price over time, as the steps that they are. */
#ifndef EASIM_INSIGHT_ATTRIBUTION_STEP_INTEGRAL_H
#define EASIM_INSIGHT_ATTRIBUTION_STEP_INTEGRAL_H

#include "insight/recorded_run.h"

/* What a constant power of 1 W over a time comes to, pue included. */
struct step_sum {
    double co2_kg, cost; /* NAN: not given */
};

/* Zero-initialise; release with step_integral_finish. */
struct step_integral {
    const struct recorded_folder *folder;
    struct step_sum *before; /* by step: from 0 to its beginning */
};

void step_integral_init(struct step_integral *integral, const struct recorded_folder *folder);
void step_integral_finish(struct step_integral *integral);
/* Of one step, for a time in it. */
struct step_sum step_integral_of_step(const struct recorded_folder *folder, size_t step,
                                      int64_t duration_ns);
/* From from_ns >= 0 to to_ns >= from_ns. */
struct step_sum step_integral_find(const struct step_integral *integral, int64_t from_ns,
                                   int64_t to_ns);

#endif
