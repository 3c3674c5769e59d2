/* Jobs and sleeping GPUs of nodes: see nodes.h. */
#include "engine/nodes.h"

#include "engine/convoys.h"

#include <stdlib.h>

bool nodes_interfere(const struct sim *sim) {
    return sim->cluster->slowdown_per_neighbour > 0;
}

static void mark_changed(struct nodes *nodes, uint32_t node) {
    if (!nodes->is_changed || nodes->is_changed[node])
        return;
    nodes->is_changed[node] = true;
    array_push(&nodes->changed, node);
}

void nodes_init(struct sim *sim) {
    struct nodes *nodes = &sim->nodes;
    uint32_t count = sim->cluster->node_count;
    bool fails = sim->cluster->outages.count > 0;
    for (uint32_t n = 0; n < count; n++)
        fails = fails || isfinite(sim->cluster->nodes[n].up.mean_s);
    sleep_init(&nodes->sleep, sim->cluster);
    if (fails || nodes_interfere(sim))
        nodes->jobs = mem_zalloc(count, sizeof *nodes->jobs);
    if (nodes->sleep.nodes)
        nodes->awake_ns = mem_zalloc(sim->workload->jobs.count, sizeof *nodes->awake_ns);
    if (!nodes->sleep.nodes && !nodes_interfere(sim))
        return;
    nodes->is_changed = mem_zalloc(count, sizeof *nodes->is_changed);
    nodes->sleep_events = mem_alloc(count * sizeof *nodes->sleep_events);
    for (uint32_t n = 0; n < count; n++) {
        nodes->sleep_events[n] = EVENT_NONE;
        mark_changed(nodes, n);
    }
}

void nodes_finish(struct sim *sim) {
    struct nodes *nodes = &sim->nodes;
    for (uint32_t n = 0; nodes->jobs && n < sim->cluster->node_count; n++)
        free(nodes->jobs[n].list.at);
    sleep_finish(&nodes->sleep);
    free(nodes->jobs);
    free(nodes->is_changed);
    free(nodes->sleep_events);
    free(nodes->awake_ns);
    free(nodes->changed.at);
}

/* --- sleep --- */

/* In the view and the power. */
static void show_asleep(struct sim *sim, uint32_t node, uint32_t gpus) {
    uint32_t type = sim->cluster->nodes[node].gpu_type;
    view_gpu_type(&sim->view, type)->asleep += gpus;
    sim->meter.types[type].asleep += gpus;
}

static void show_awake(struct sim *sim, uint32_t node, uint32_t gpus) {
    uint32_t type = sim->cluster->nodes[node].gpu_type;
    view_gpu_type(&sim->view, type)->asleep -= gpus;
    sim->meter.types[type].asleep -= gpus;
}

int64_t nodes_take_gpus(struct sim *sim, uint32_t node, uint32_t gpus, uint32_t job) {
    struct sleep_taken taken = sleep_take(&sim->nodes.sleep, node, gpus, job, sim->now_ns);
    show_awake(sim, node, taken.slept);
    mark_changed(&sim->nodes, node);
    return taken.ready_ns;
}

void nodes_give_back_gpus(struct sim *sim, uint32_t node, uint32_t gpus, uint32_t job) {
    sleep_give_back(&sim->nodes.sleep, node, gpus, job, sim->now_ns);
    mark_changed(&sim->nodes, node);
}

void nodes_give_back_shared(struct sim *sim, uint32_t node, int64_t ready_ns) {
    sleep_free(&sim->nodes.sleep, node, 1, ready_ns, sim->now_ns);
    mark_changed(&sim->nodes, node);
}

void nodes_fall_asleep(struct sim *sim, uint32_t node) {
    sim->nodes.sleep_events[node] = EVENT_NONE;
    show_asleep(sim, node, sleep_fall(&sim->nodes.sleep, node, sim->now_ns));
    mark_changed(&sim->nodes, node);
}

void nodes_fail(struct sim *sim, uint32_t node) {
    if (sim->nodes.sleep.nodes)
        nodes_take_gpus(sim, node, sim->cluster->nodes[node].gpus, EASIM_NONE);
}

void nodes_repair(struct sim *sim, uint32_t node) {
    if (sim->nodes.sleep.nodes)
        nodes_give_back_gpus(sim, node, sim->cluster->nodes[node].gpus, EASIM_NONE);
}

/* --- interference --- */

void nodes_add_job(struct sim *sim, uint32_t job, uint32_t node) {
    mark_changed(&sim->nodes, node);
    if (sim->convoys.nodes)
        convoys_add_job(sim, job, node);
    array_push(&sim->nodes.jobs[node].list, job);
}

void nodes_remove_job(struct sim *sim, uint32_t job, uint32_t node) {
    struct node_jobs *jobs = &sim->nodes.jobs[node];
    mark_changed(&sim->nodes, node);
    size_t at = convoys_list_place(sim, job);
    if (sim->convoys.nodes)
        convoys_remove_job(sim, job, node);
    while (jobs->list.at[at] != job)
        at++;
    jobs->list.at[at] = jobs->list.at[--jobs->list.count];
}

double nodes_slowdown_of(const struct sim *sim, size_t jobs) {
    return 1 + sim->cluster->slowdown_per_neighbour * (double)(jobs > 0 ? jobs - 1 : 0);
}

double nodes_slowdown(const struct sim *sim, uint32_t job) {
    if (!nodes_interfere(sim))
        return 1;
    const struct allocation *allocation = &sim->runs[job].allocation;
    const struct piece *pieces = allocation_pieces(allocation);
    size_t most = 1;
    for (uint32_t i = 0; i < allocation->count; i++) {
        size_t jobs = sim->nodes.jobs[pieces[i].node].list.count;
        most = jobs > most ? jobs : most;
    }
    return nodes_slowdown_of(sim, most);
}
