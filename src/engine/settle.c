/* Changed nodes settle: see settle.h. Speeds and events follow once for all changes of one event or
   decision, so that a job whose neighbours end up the same is left alone. */
#include "engine/settle.h"

#include "engine/contention.h"
#include "engine/convoys.h"
#include "engine/nodes.h"
#include "engine/progress.h"
#include "engine/segments.h"

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

/* By neighbours: it may want another part of what it shares with others. */
static void change_own_speed(struct sim *sim, uint32_t job, double factor) {
    segments_change_speed(sim, job, factor);
    if (sim->contention)
        contention_enter(sim, job);
}

/* The jobs that the convoy of the node does not hold get the events that a visit to all jobs in the
   order of the list would give them: each may need two numbers of creation. */
static void settle_convoy(struct sim *sim, uint32_t node) {
    const struct convoy *convoy = &sim->convoys.nodes[node];
    size_t count = sim->nodes.jobs[node].list.count;
    uint64_t number = sim->events.created;
    double slowdown = nodes_slowdown_of(sim, count);
    convoys_change_speed(sim, node, slowdown, number);
    for (size_t i = convoy->others.count; i-- > 0;) {
        uint32_t job = convoy->others.at[i];
        double factor = progress_factor(sim, job);
        if (sim->runs[job].segment != SEGMENT_RUN || factor == sim->progress[job].factor)
            continue;
        sim->events.created = number + 2 * (uint64_t)convoys_list_place(sim, job);
        change_own_speed(sim, job, factor);
        if (sim->progress[job].factor == factor)
            convoys_join(sim, job, slowdown, number);
    }
    sim->events.created = number + 2 * (uint64_t)count;
}

static void settle_speeds(struct sim *sim, uint32_t node) {
    const struct node_jobs *jobs = &sim->nodes.jobs[node];
    if (convoys_has(sim, node)) {
        settle_convoy(sim, node);
        return;
    }
    for (size_t i = 0; i < jobs->list.count; i++) {
        uint32_t job = jobs->list.at[i];
        double factor = progress_factor(sim, job);
        if (sim->runs[job].segment == SEGMENT_RUN && factor != sim->progress[job].factor)
            change_own_speed(sim, job, factor);
    }
}

void settle_nodes(struct sim *sim) {
    struct nodes *nodes = &sim->nodes;
    for (size_t i = 0; i < nodes->changed.count; i++) {
        uint32_t node = nodes->changed.at[i];
        nodes->is_changed[node] = false;
        if (nodes_interfere(sim))
            settle_speeds(sim, node);
        if (nodes->sleep.nodes)
            settle_sleep(sim, node);
    }
    nodes->changed.count = 0;
}

void settle_contention(struct sim *sim) {
    contention_settle(sim);
    for (size_t i = 0; i < sim->contention->changed.count; i++)
        segments_change_share(sim, sim->contention->changed.at[i]);
}
