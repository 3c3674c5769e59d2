/* Use of the network: see network_use.h. */
#include "insight/network_use.h"

#include "cluster/power_meter.h"
#include "model/batches.h"
#include "model/gpu_value.h"

#include <math.h>

/* --- team --- */

const char *team_tier(const struct recorded_run *run, const struct recorded_segment *segment) {
    const struct network *network = &run->folder->cluster.network;
    return network->tier_count == 0 || segment->config == EASIM_NONE
               ? NULL
               : network_span_name(network, segment->span);
}

static const struct plan *plan_of(const struct recorded_run *run, uint32_t job,
                                  const struct easim_config *config) {
    const struct job_spec *spec = &run->workload.jobs.at[job];
    return config && spec->kind != JOB_KIND_RIGID
               ? config_table_plan(&run->workload.table, spec->model, config->gpu_type, config->k)
               : NULL;
}

const char *team_plan(const struct recorded_run *run, const struct recorded_segment *segment,
                      char text[static PLAN_TEXT_BYTES]) {
    const struct plan *plan = plan_of(run, segment->job, recorded_run_config(run, segment));
    if (!plan)
        return NULL;
    plan_text(text, plan);
    return text;
}

bool team_is_news(const struct recorded_run *run, const struct recorded_segment *segment,
                  const struct recorded_segment *last) {
    char text[PLAN_TEXT_BYTES];
    return (team_tier(run, segment) || team_plan(run, segment, text)) &&
           !(last && last->config == segment->config && last->span == segment->span);
}

double team_sync_share(const struct recorded_run *run, uint32_t job,
                       const struct easim_config *config, uint32_t span) {
    const struct cluster *cluster = &run->folder->cluster;
    const struct gpu_type *type = &cluster->gpu_types[config->gpu_type];
    const struct job_spec *spec = &run->workload.jobs.at[job];
    if (spec->kind == JOB_KIND_RIGID)
        return NAN;
    const struct model *model = &run->folder->models.models[spec->model];
    const struct gpu_model *gpu_model = model_on_gpu(model, type->name);
    const struct plan *plan = plan_of(run, job, config);
    if (!gpu_model || gpu_model->lookup_speed)
        return NAN;
    const struct gpu_model slowed =
        gpu_value_slowed(gpu_model, network_slowdown(&cluster->network, span));
    if (plan)
        return plan_transfer_share(model, &slowed, type, plan, span);
    uint32_t nodes = speed_nodes(config->k, type->node_gpus_max, span);
    double batch = config->batch / batches_steps(gpu_model, config->k, config->batch);
    return speed_sync_s(&slowed.speed, config->k, nodes) /
           speed_iteration_s(&slowed.speed, config->k, batch, nodes);
}

/* --- fabric --- */

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
