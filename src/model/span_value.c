/* Values by span: see span_value.h. */
#include "model/span_value.h"

#include "model/gpu_value.h"
#include "model/speed.h"

bool span_value_is_as_below(const struct network *network, const struct gpu_model *gpu_model,
                            uint32_t k, uint32_t span) {
    if (span == EASIM_ONE_NODE || k == 1)
        return span != EASIM_ONE_NODE && gpu_model->lookup.count == 0;
    return span > EASIM_ACROSS_NODES &&
           network_slowdown(network, span) == network_slowdown(network, span - 1);
}

bool span_value_find(const struct cluster *cluster, const struct gpu_model *gpu_model,
                     const struct easim_config *config, uint32_t span, bool *stands_in,
                     struct interpolation_value *value) {
    const struct gpu_type *type = &cluster->gpu_types[config->gpu_type];
    double factor = network_slowdown(&cluster->network, span);
    uint32_t node_gpus = type->node_gpus_max > 0 ? type->node_gpus_max : 1;
    uint32_t nodes = speed_nodes(config->k, node_gpus, span);
    struct gpu_model slowed;
    if (factor != 1) {
        slowed = gpu_value_slowed(gpu_model, factor);
        gpu_model = &slowed;
    }
    if (gpu_value_find(gpu_model, config->k, config->batch, nodes, value))
        return true;
    if (span == EASIM_ONE_NODE || config->k <= type->node_gpus_max)
        return false;
    return *stands_in = gpu_value_stand_in(gpu_model, config->k, config->batch, nodes, value);
}
