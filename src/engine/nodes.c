/* Jobs and sleeping GPUs of nodes: see nodes.h. Speeds and events follow once for all changes of
   one event or decision, so that a job whose neighbours end up the same is left alone. */
#include "engine/nodes.h"

#include "engine/jobs.h"
#include "engine/progress.h"
#include "engine/sim.h"

#include <stdlib.h>

static bool has_interference(const struct sim *sim) {
    return sim->cluster->slowdown_per_neighbour > 0;
}

static void mark(struct nodes *nodes, uint32_t node) {
    if (!nodes->is_changed || nodes->is_changed[node])
        return;
    nodes->is_changed[node] = true;
    array_push(&nodes->changed, node);
}

void nodes_init(struct sim *sim) {
    struct nodes *nodes = &sim->nodes;
    uint32_t count = sim->cluster->node_count;
    bool fails = false;
    for (uint32_t n = 0; n < count; n++)
        fails = fails || isfinite(sim->cluster->nodes[n].mtbf_s);
    sleep_init(&nodes->sleep, sim->cluster);
    if (fails || has_interference(sim))
        nodes->jobs = mem_zalloc(count, sizeof *nodes->jobs);
    if (!nodes->sleep.nodes && !has_interference(sim))
        return;
    nodes->is_changed = mem_zalloc(count, sizeof *nodes->is_changed);
    nodes->sleep_events = mem_alloc(count * sizeof *nodes->sleep_events);
    for (uint32_t n = 0; n < count; n++) {
        nodes->sleep_events[n] = EVENT_NONE;
        mark(nodes, n);
    }
    nodes_settle(sim);
}

void nodes_finish(struct sim *sim) {
    struct nodes *nodes = &sim->nodes;
    for (uint32_t n = 0; nodes->jobs && n < sim->cluster->node_count; n++)
        free(nodes->jobs[n].list.at);
    sleep_finish(&nodes->sleep);
    free(nodes->jobs);
    free(nodes->is_changed);
    free(nodes->sleep_events);
    free(nodes->changed.at);
}

/* --- sleep --- */

/* GPUs of a node fall asleep (sign = 1) or no longer sleep (-1): view and power. */
static void show_asleep(struct sim *sim, uint32_t node, uint32_t gpus, int sign) {
    uint32_t type = sim->cluster->nodes[node].gpu_type,
             change = sign < 0 ? 0u - gpus : gpus; /* wraps as wanted */
    view_gpu_type(&sim->view, type)->asleep += change;
    sim->meter.types[type].asleep += change;
}

int64_t nodes_take_gpus(struct sim *sim, uint32_t node, uint32_t gpus, uint32_t job) {
    struct sleep_taken taken = sleep_take(&sim->nodes.sleep, node, gpus, job, sim->now_ns);
    show_asleep(sim, node, taken.slept, -1);
    mark(&sim->nodes, node);
    return taken.ready_ns;
}

void nodes_give_back_gpus(struct sim *sim, uint32_t node, uint32_t gpus, uint32_t job) {
    sleep_give_back(&sim->nodes.sleep, node, gpus, job, sim->now_ns);
    mark(&sim->nodes, node);
}

void nodes_give_back_shared(struct sim *sim, uint32_t node, int64_t ready_ns) {
    sleep_free(&sim->nodes.sleep, node, 1, ready_ns, sim->now_ns);
    mark(&sim->nodes, node);
}

void nodes_fall_asleep(struct sim *sim, uint32_t node) {
    sim->nodes.sleep_events[node] = EVENT_NONE;
    show_asleep(sim, node, sleep_fall(&sim->nodes.sleep, node, sim->now_ns), 1);
    mark(&sim->nodes, node);
}

void nodes_set_failed(struct sim *sim, uint32_t node, bool failed) {
    uint32_t gpus = sim->cluster->nodes[node].gpus;
    if (sim->nodes.sleep.nodes && failed)
        nodes_take_gpus(sim, node, gpus, EASIM_NONE);
    else if (sim->nodes.sleep.nodes)
        nodes_give_back_gpus(sim, node, gpus, EASIM_NONE);
}

static void settle_sleep(struct sim *sim, uint32_t node) {
    int64_t next_ns = sleep_next_ns(&sim->nodes.sleep, node);
    uint32_t *event = &sim->nodes.sleep_events[node];
    if (*event != EVENT_NONE && eventq_time_ns(&sim->events, *event) == next_ns)
        return;
    if (*event != EVENT_NONE)
        sim_cancel_background(sim, *event);
    *event =
        next_ns == INT64_MAX ? EVENT_NONE : sim_push_background(sim, next_ns, EVENT_SLEEP, node);
}

/* --- interference --- */

void nodes_move_job(struct sim *sim, uint32_t job, uint32_t node, int sign) {
    struct node_jobs *jobs = &sim->nodes.jobs[node];
    mark(&sim->nodes, node);
    if (sign > 0) {
        array_push(&jobs->list, job);
        return;
    }
    size_t at = 0;
    while (jobs->list.at[at] != job)
        at++;
    jobs->list.at[at] = jobs->list.at[--jobs->list.count];
}

double nodes_slowdown(const struct sim *sim, uint32_t job) {
    if (!has_interference(sim))
        return 1;
    const struct allocation *allocation = &sim->runs[job].allocation;
    const struct piece *pieces = allocation_pieces(allocation);
    size_t most = 1;
    for (uint32_t i = 0; i < allocation->count; i++) {
        size_t jobs = sim->nodes.jobs[pieces[i].node].list.count;
        most = jobs > most ? jobs : most;
    }
    return 1 + sim->cluster->slowdown_per_neighbour * (double)(most - 1);
}

static void settle_speeds(struct sim *sim, uint32_t node) {
    const struct node_jobs *jobs = &sim->nodes.jobs[node];
    for (size_t i = 0; i < jobs->list.count; i++) {
        uint32_t job = jobs->list.at[i];
        double factor = progress_factor(sim, job);
        if (sim->runs[job].phase == PHASE_COMPUTING && factor != sim->progress[job].factor)
            jobs_change_speed(sim, job, factor);
    }
}

void nodes_settle(struct sim *sim) {
    struct nodes *nodes = &sim->nodes;
    for (size_t i = 0; i < nodes->changed.count; i++) {
        uint32_t node = nodes->changed.at[i];
        nodes->is_changed[node] = false;
        if (has_interference(sim))
            settle_speeds(sim, node);
        if (nodes->sleep.nodes)
            settle_sleep(sim, node);
    }
    nodes->changed.count = 0;
}
