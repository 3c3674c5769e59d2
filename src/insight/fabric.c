/* Parts of the network's power: see fabric.h. */
#include "insight/fabric.h"

#include "cluster/power_meter.h"

/* GPUs of the types before this one. */
static uint64_t gpus_before(const struct cluster *cluster, uint32_t gpu_type) {
    uint64_t gpus = 0;
    for (uint32_t n = 0; n < cluster->node_count; n++)
        gpus += cluster->nodes[n].gpu_type < gpu_type ? cluster->nodes[n].gpus : 0;
    return gpus;
}

int64_t fabric_nw(const struct cluster *cluster, uint32_t gpu_type) {
    if (cluster->network.tier_count == 0 || cluster->gpus == 0)
        return 0;
    int128 all_nw = power_meter_network_nw(cluster), gpus = cluster->gpus;
    return (int64_t)(all_nw * gpus_before(cluster, gpu_type + 1) / gpus -
                     all_nw * gpus_before(cluster, gpu_type) / gpus);
}
