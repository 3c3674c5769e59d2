/* A metered cluster: see metered_cluster.h. */
#include "calibrate/metered/metered_cluster.h"

#include <math.h>

int metered_cluster_complete(struct metered_cluster *cluster, const struct metered_jobs *jobs,
                             const char *file, struct problems *problems) {
    size_t before = problems->count;
    cluster->type_count = jobs->types.count;
    cluster->nodes = cluster->gpus = 0;
    for (uint32_t t = 0; t < jobs->types.count; t++) {
        struct metered_type *type = &cluster->types[t];
        type->name = jobs->types.at[t];
        type->peak = metered_jobs_peak(jobs, t);
        type->nodes_given = type->nodes > 0;
        if (!type->nodes_given)
            type->nodes = ceil(type->peak / type->gpus_of_node);
        if (type->peak > type->nodes * type->gpus_of_node * (1 + 1e-12))
            problems_add_setting(problems, (struct location){.file = file}, "node-count",
                                 "expected nodes for the %.9g GPUs of type %s that jobs hold at "
                                 "once, got %.9g of %.9g GPUs",
                                 type->peak, type->name, type->nodes, type->gpus_of_node);
        cluster->nodes += type->nodes;
        cluster->gpus += type->nodes * type->gpus_of_node;
    }
    return problems->count > before ? ERROR_INPUT : 0;
}

double metered_cluster_floor_w(const struct metered_cluster *cluster) {
    if (!isnan(cluster->idle_w))
        return cluster->idle_w * cluster->gpus;
    return isnan(cluster->base_w) ? 0 : cluster->base_w * cluster->nodes;
}

double metered_cluster_idle_w(const struct metered_cluster *cluster, double rest_w) {
    double base_w = isnan(cluster->base_w) ? 0 : cluster->base_w;
    return isnan(cluster->idle_w) ? (rest_w - base_w * cluster->nodes) / cluster->gpus
                                  : cluster->idle_w;
}

double metered_cluster_base_w(const struct metered_cluster *cluster, double rest_w) {
    if (!isnan(cluster->idle_w))
        return (rest_w - cluster->idle_w * cluster->gpus) / cluster->nodes;
    return isnan(cluster->base_w) ? 0 : cluster->base_w;
}
