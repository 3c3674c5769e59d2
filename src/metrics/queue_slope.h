/* The slope of the number of waiting jobs over the measured time, summed up while a run goes. */
#ifndef EASIM_METRICS_QUEUE_SLOPE_H
#define EASIM_METRICS_QUEUE_SLOPE_H

#include "engine/sim.h"

/* Zero-initialise. */
struct queue_slope {
    int64_t since_ns; /* so many have waited since then */
    uint32_t waiting;
    double moment; /* integral of (t - middle) * waiting from the end of the warm-up on, h^2 */
};

/* After each instant at which something changed. Does nothing where there is no horizon. */
void queue_slope_note(struct queue_slope *slope, const struct sim *sim);
/* Of the least-squares line up to the horizon, jobs/h. NAN without a horizon. */
double queue_slope_per_h(const struct queue_slope *slope, const struct sim *sim);

#endif
