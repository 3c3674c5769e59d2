/* Measured points instead of a formula: the time of an iteration and the power, not the rate, are
   interpolated inside their range, and never extrapolated. Time is nearly linear in k and batch,
   its inverse is not. */
#ifndef EASIM_MODEL_INTERPOLATION_H
#define EASIM_MODEL_INTERPOLATION_H

#include "base/error.h"
#include "easim/policy.h"

struct interpolation_point {
    int64_t k;
    double batch;                /* per GPU */
    double throughput_samples_s; /* of all k GPUs; NAN in all points: speed is by formula */
    double power_w_per_gpu;      /* likewise */
    bool across_nodes;
    struct location where;
};

struct interpolation {
    struct interpolation_point *points; /* sorted by interpolation_sort */
    size_t count;
    bool by_energy; /* over the batch not power is linear, but power x time of an iteration */
};

struct interpolation_value {
    double iteration_s;
    double power_w;
};

/* Whether a point was measured at (k, batch) in that span: interpolation_find gives it as it is. */
bool interpolation_has(const struct interpolation *table, uint32_t k, double batch,
                       enum easim_span span);

/* Orders points by span, k, batch. The index of a point that repeats its predecessor's place, or
 * -1. */
int interpolation_sort(struct interpolation *table);

/* Iteration time and power (or energy, see by_energy) at (k, batch): linear in batch at the
   measured k below and above, then time and power linear in k. Without any points across nodes,
   those within a node stand for both. False outside the measured range of the span.
 */
bool interpolation_find(const struct interpolation *table, uint32_t k, double batch,
                        enum easim_span span, struct interpolation_value *value);
/* Across nodes, with the points in one node for each k that was not measured across: for nodes too
   small for k, where there is nothing better. */
bool interpolation_stand_in(const struct interpolation *table, uint32_t k, double batch,
                            struct interpolation_value *value);

#endif
