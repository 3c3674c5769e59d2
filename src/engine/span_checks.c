/* Checks of spans: see span_checks.h. */
#include "engine/span_checks.h"

/* Whether one switch of a tier, the cluster without tiers, holds all nodes of an allocation. */
static bool is_held(const struct sim *sim, const struct allocation *allocation, uint32_t span) {
    const struct piece *pieces = allocation_pieces(allocation);
    uint32_t nodes = cluster_span_nodes(sim->cluster, span);
    for (uint32_t i = 1; i < allocation->count; i++)
        if (pieces[i].node / nodes != pieces[0].node / nodes)
            return false;
    return true;
}

void span_checks_job(struct sim *sim, uint32_t job) {
    const struct job_run *run = &sim->runs[job];
    const struct easim_job *shown = &sim->view.jobs[job];
    uint32_t lowest = 0;
    while (!is_held(sim, &run->allocation, lowest))
        lowest++;
    if (run->span != lowest || shown->span != lowest)
        sim_fail(sim, ERROR_RUN, "check: job %s has span %u and shows %u, its nodes have %u",
                 sim->workload->jobs.at[job].id, run->span, shown->span, lowest);
    else if (!(sim->view.configs[run->config].goodput[lowest] > 0))
        sim_fail(sim, ERROR_RUN, "check: job %s runs in a span in which it is not known",
                 sim->workload->jobs.at[job].id);
}

/* Of a span, place by place; they are runs of nodes. */
static void check_span(struct sim *sim, uint32_t gpu_type, uint32_t span) {
    const struct cluster *cluster = sim->cluster;
    const struct type_placement *type = &sim->placement.types[gpu_type];
    uint32_t width = cluster_span_nodes(cluster, span), most = 0;
    for (uint32_t first = 0, place = 0; first < cluster->node_count; first += width, place++) {
        uint32_t free = 0;
        for (uint32_t n = first; n - first < width && n < cluster->node_count; n++)
            free += cluster->nodes[n].gpu_type == gpu_type ? sim->placement.node_free[n] : 0;
        most = free > most ? free : most;
        if (span > 0 && span < sim->placement.level_count && type->switch_free[span][place] != free)
            sim_fail(sim, ERROR_RUN, "check: switch %u of tier %s has %u free GPUs, not %u", place,
                     network_span_name(&cluster->network, span), free,
                     type->switch_free[span][place]);
    }
    if (sim->view.gpu_types[gpu_type].span_free_max[span] != most)
        sim_fail(sim, ERROR_RUN, "check: type %s shows at most %u free GPUs in span %s, not %u",
                 cluster->gpu_types[gpu_type].name,
                 sim->view.gpu_types[gpu_type].span_free_max[span],
                 network_span_name(&cluster->network, span), most);
}

void span_checks_switches(struct sim *sim) {
    for (uint32_t h = 0; h < sim->cluster->gpu_type_count; h++)
        for (uint32_t span = 0; span < sim->view.v->span_count; span++)
            check_span(sim, h, span);
}
