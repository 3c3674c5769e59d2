/* Fails and repairs nodes (semantics 12.1). Neither the policy nor another node changes the times.
   Node n draws from the stream failures/n in turn its time to the next failure and the time of its
   repair, or follows its recorded outages; at most one event of it is pending at any time. */
#include "engine/internal.h"

#include "base/rng.h"
#include "base/units.h"
#include "engine/gpus.h"
#include "engine/jobs.h"
#include "engine/nodes.h"
#include "engine/power_cap.h"

#include <stdio.h>
#include <stdlib.h>

/* A time of at least 1 ns. Nothing comes after TIME_MAX_S, so that every run ends. */
static void schedule_event(struct sim *sim, uint32_t node, double drawn_s, enum event_kind kind) {
    double time_s = fmin(drawn_s, TIME_MAX_S);
    int64_t after_ns = units_ns(time_s), limit_ns = units_ns(TIME_MAX_S);
    after_ns = after_ns > 0 ? after_ns : 1;
    if (sim->now_ns < limit_ns && after_ns < limit_ns - sim->now_ns)
        sim_push_background(sim, sim->now_ns + after_ns, kind, node);
}

static void await_failure(struct sim *sim, uint32_t node) {
    const struct time_law *law = &sim->cluster->nodes[node].up;
    schedule_event(sim, node, time_law_draw(law, sim->failures.streams[node]), EVENT_FAILURE);
}

static void await_repair(struct sim *sim, uint32_t node) {
    const struct time_law *law = &sim->cluster->nodes[node].repair;
    schedule_event(sim, node, time_law_draw(law, sim->failures.streams[node]), EVENT_REPAIR);
}

/* The next recorded outage of a node; NULL: there is none. */
static const struct outage *next_outage(const struct sim *sim, uint32_t node) {
    const struct outages *o = &sim->cluster->outages;
    size_t i = sim->failures.next[node];
    return i < o->count && o->at[i].node == node ? &o->at[i] : NULL;
}

static void await_outage(struct sim *sim, uint32_t node) {
    const struct outage *outage = next_outage(sim, node);
    if (outage)
        sim_push_background(sim, outage->start_ns, EVENT_FAILURE, node);
}

static void init_recorded(struct sim *sim) {
    const struct outages *o = &sim->cluster->outages;
    sim->failures.next = mem_alloc(sim->cluster->node_count * sizeof *sim->failures.next);
    size_t next = 0;
    for (uint32_t n = 0; n < sim->cluster->node_count; n++) {
        sim->failures.next[n] = next;
        await_outage(sim, n);
        while (next < o->count && o->at[next].node == n)
            next++;
    }
}

void failures_init(struct sim *sim) {
    if (sim->cluster->outages.count > 0)
        init_recorded(sim);
    for (uint32_t n = 0; n < sim->cluster->node_count; n++) {
        if (!isfinite(sim->cluster->nodes[n].up.mean_s))
            continue;
        if (!sim->failures.streams)
            sim->failures.streams =
                mem_zalloc(sim->cluster->node_count, sizeof *sim->failures.streams);
        char name[32];
        snprintf(name, sizeof name, "failures/%u", n);
        sim->failures.streams[n] = rng_create(sim->options.seed, sim->options.replication, name);
        schedule_event(sim, n,
                       time_law_draw_rest(&sim->cluster->nodes[n].up, sim->failures.streams[n]),
                       EVENT_FAILURE);
    }
}

void failures_finish(struct sim *sim) {
    for (uint32_t n = 0; sim->failures.streams && n < sim->cluster->node_count; n++)
        if (sim->failures.streams[n])
            gsl_rng_free(sim->failures.streams[n]);
    free(sim->failures.streams);
    free(sim->failures.next);
}

/* In the order of submission. */
static void stop_jobs(struct sim *sim, uint32_t node) {
    const struct node_jobs *on_node = &sim->nodes.jobs[node];
    size_t count = on_node->list.count;
    uint32_t *jobs = mem_zalloc(count, sizeof *jobs);
    for (size_t i = 0; i < count; i++)
        jobs[i] = on_node->list.at[i];
    sort_array(jobs, count, by_uint32);
    for (size_t i = 0; i < count; i++)
        interrupt_fail(sim, jobs[i]);
    free(jobs);
}

static void show_node(struct sim *sim, const struct node *node) {
    gpus_show_room(sim, node->gpu_type);
}

/* Once no job and no replica is on the node: its GPUs and its power go. */
static void take_node_away(struct sim *sim, uint32_t node) {
    const struct node *n = &sim->cluster->nodes[node];
    nodes_fail(sim, node);
    placement_set_node(&sim->placement, node, 0);
    power_meter_fail(&sim->meter, n);
    power_cap_note(sim, node, -power_meter_idle_node_nw(&sim->meter, n));
    view_fail_node(&sim->view, node);
    show_node(sim, n);
    sim->failures.nodes++;
    sim->failures.gpus += n->gpus;
}

static void bring_node_back(struct sim *sim, uint32_t node) {
    const struct node *n = &sim->cluster->nodes[node];
    nodes_repair(sim, node);
    placement_set_node(&sim->placement, node, n->gpus);
    power_meter_repair(&sim->meter, n);
    power_cap_note(sim, node, power_meter_idle_node_nw(&sim->meter, n));
    view_repair_node(&sim->view, node);
    show_node(sim, n);
    sim->failures.nodes--;
    sim->failures.gpus -= n->gpus;
}

void failures_fail(struct sim *sim, uint32_t node) {
    stop_jobs(sim, node);
    replicas_fail_node(sim, node);
    services_tick_now(sim);
    take_node_away(sim, node);
    sim->failures.count++;
    if (!sim->failures.next)
        await_repair(sim, node);
    else if (next_outage(sim, node)->end_ns != TIME_NONE_NS)
        sim_push_background(sim, next_outage(sim, node)->end_ns, EVENT_REPAIR, node);
    else
        sim->failures.gone++;
}

void failures_repair(struct sim *sim, uint32_t node) {
    bring_node_back(sim, node);
    if (sim->failures.next) {
        sim->failures.next[node]++;
        await_outage(sim, node);
        return;
    }
    await_failure(sim, node);
}
