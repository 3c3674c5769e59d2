/* Node failures: see failures.h. Node n draws from the stream failures/n in turn its time to the
   next failure and the time of its repair, each -mean ln(1 - u); one event of it is pending at any
   time. */
#include "engine/failures.h"

#include "base/rng.h"
#include "base/units.h"
#include "engine/interrupt.h"
#include "engine/sim.h"

#include <gsl/gsl_randist.h>
#include <stdio.h>
#include <stdlib.h>

/* A time of at least 1 ns. What would come after TIME_MAX_S never happens, so that every run ends.
 */
static void schedule(struct sim *sim, uint32_t node, double mean_s, enum event_kind kind) {
    double time_s = fmin(gsl_ran_exponential(sim->failures.streams[node], mean_s), TIME_MAX_S);
    int64_t after_ns = units_ns(time_s), limit_ns = units_ns(TIME_MAX_S);
    after_ns = after_ns > 0 ? after_ns : 1;
    if (sim->now_ns < limit_ns && after_ns < limit_ns - sim->now_ns)
        sim_push_background(sim, sim->now_ns + after_ns, kind, node);
}

void failures_init(struct sim *sim) {
    for (uint32_t n = 0; n < sim->cluster->node_count; n++) {
        if (!isfinite(sim->cluster->nodes[n].mtbf_s))
            continue;
        if (!sim->failures.streams)
            sim->failures.streams =
                mem_zalloc(sim->cluster->node_count, sizeof *sim->failures.streams);
        char name[32];
        snprintf(name, sizeof name, "failures/%u", n);
        sim->failures.streams[n] = rng_create(sim->options.seed, sim->options.replication, name);
        schedule(sim, n, sim->cluster->nodes[n].mtbf_s, EVENT_FAILURE);
    }
}

void failures_finish(struct sim *sim) {
    for (uint32_t n = 0; sim->failures.streams && n < sim->cluster->node_count; n++)
        if (sim->failures.streams[n])
            gsl_rng_free(sim->failures.streams[n]);
    free(sim->failures.streams);
}

static int compare_jobs(const void *left, const void *right) {
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* In the order of submission. */
static void stop_jobs(struct sim *sim, uint32_t node) {
    const struct node_jobs *on_node = &sim->nodes.jobs[node];
    size_t count = on_node->list.count;
    uint32_t *jobs = mem_zalloc(count, sizeof *jobs);
    for (size_t i = 0; i < count; i++)
        jobs[i] = on_node->list.at[i];
    if (count > 1)
        qsort(jobs, count, sizeof *jobs, compare_jobs);
    for (size_t i = 0; i < count; i++)
        interrupt_fail(sim, jobs[i]);
    free(jobs);
}

/* GPUs, power and counts of a node on which no job is: failed = 1, repaired = -1. */
static void set_node(struct sim *sim, uint32_t node, int failed) {
    const struct node *n = &sim->cluster->nodes[node];
    nodes_set_failed(sim, node, failed > 0);
    placement_set_node(&sim->placement, node, failed > 0 ? 0 : n->gpus);
    power_meter_fail(&sim->meter, n, failed);
    sim->committed_nw -=
        failed * ((int64_t)n->gpus * WHOLE_GPU_MILLI * sim->meter.types[n->gpu_type].idle_milli_nw +
                  power_nw(n->fixed_w));
    view_set_failed(&sim->view, node, failed > 0);
    view_gpu_type(&sim->view, n->gpu_type)->node_free_max =
        placement_node_free_max(&sim->placement, n->gpu_type);
    view_header(&sim->view)->power_w = power_w(sim->committed_nw);
    sim->failures.nodes += (uint32_t)failed; /* wraps as wanted */
    sim->failures.gpus += (uint32_t)failed * n->gpus;
}

void failures_fail(struct sim *sim, uint32_t node) {
    stop_jobs(sim, node);
    set_node(sim, node, 1);
    sim->failures.count++;
    schedule(sim, node, sim->cluster->nodes[node].mttr_s, EVENT_REPAIR);
}

void failures_repair(struct sim *sim, uint32_t node) {
    set_node(sim, node, -1);
    schedule(sim, node, sim->cluster->nodes[node].mtbf_s, EVENT_FAILURE);
}
