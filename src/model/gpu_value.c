/* Time and power by formula or table: see gpu_value.h. */
#include "model/gpu_value.h"

#include "model/batches.h"

#include <math.h>

/* Where (k, b) stands, and which points may answer for it. */
struct step_place {
    uint32_t k, nodes;
    bool stand_in; /* those in one node, too */
};

/* One step, or an iteration without accumulation. */
static bool find_step(const struct gpu_model *g, const struct step_place *at, double batch,
                      struct interpolation_value *value) {
    enum easim_span span = at->nodes > 1 ? EASIM_ACROSS_NODES : EASIM_ONE_NODE;
    struct interpolation_value measured = {NAN, NAN};
    if (g->lookup.count > 0 &&
        !(at->stand_in ? interpolation_stand_in(&g->lookup, at->k, batch, &measured)
                       : interpolation_find(&g->lookup, at->k, batch, span, &measured)))
        return false;
    value->iteration_s = g->lookup_speed ? measured.iteration_s
                                         : speed_iteration_s(&g->speed, at->k, batch, at->nodes);
    value->power_w = g->lookup_power
                         ? measured.power_w
                         : power_training_w(&g->power, g->speed.c_s,
                                            speed_rate(1, batch, value->iteration_s), INFINITY);
    return true;
}

static bool find_iteration(const struct gpu_model *g, const struct step_place *at, double batch,
                           struct interpolation_value *value) {
    double steps = batches_steps(g, at->k, batch);
    /* A measured point is of whole iterations. */
    bool measured =
        (at->nodes > 1 && interpolation_has(&g->lookup, at->k, batch, EASIM_ACROSS_NODES)) ||
        ((at->nodes == 1 || at->stand_in) &&
         interpolation_has(&g->lookup, at->k, batch, EASIM_ONE_NODE));
    steps = measured ? 1 : steps;
    if (!find_step(g, at, batch / steps, value))
        return false;
    value->iteration_s *= steps;
    return true;
}

bool gpu_value_find(const struct gpu_model *gpu_model, uint32_t k, double batch, uint32_t nodes,
                    struct interpolation_value *value) {
    return find_iteration(gpu_model, &(struct step_place){k, nodes, false}, batch, value);
}

bool gpu_value_stand_in(const struct gpu_model *gpu_model, uint32_t k, double batch, uint32_t nodes,
                        struct interpolation_value *value) {
    return find_iteration(gpu_model, &(struct step_place){k, nodes, true}, batch, value);
}

bool gpu_value_is_outside_k(const struct gpu_model *gpu_model, uint32_t k) {
    const int64_t *ends = gpu_model->range_k.at;
    return gpu_model->range_k.count != 2 || k < ends[0] || k > ends[1];
}

bool gpu_value_is_outside(const struct gpu_model *gpu_model, uint32_t k, double batch) {
    const double *batch_ends = gpu_model->range_batch.at;
    return gpu_value_is_outside_k(gpu_model, k) || gpu_model->range_batch.count != 2 ||
           batch * BATCH_EQUAL < batch_ends[0] || batch > batch_ends[1] * BATCH_EQUAL;
}

struct gpu_model gpu_value_slowed(const struct gpu_model *gpu_model, double factor) {
    struct gpu_model slowed = *gpu_model;
    slowed.speed.alpha_s[EASIM_ACROSS_NODES] *= factor;
    slowed.speed.beta_s[EASIM_ACROSS_NODES] *= factor;
    slowed.links.network_bytes_s /= factor;
    return slowed;
}

double gpu_value_most_w(const struct gpu_model *gpu_model, double tdp_w) {
    if (gpu_model->power_form == POWER_TDP)
        return tdp_w;
    double most_w =
        gpu_model->lookup_power ? 0 : fmax(gpu_model->power.p0_w, gpu_model->power.pmax_w);
    for (size_t i = 0; gpu_model->lookup_power && i < gpu_model->lookup.count; i++)
        most_w = fmax(most_w, gpu_model->lookup.points[i].power_w_per_gpu);
    return most_w;
}
