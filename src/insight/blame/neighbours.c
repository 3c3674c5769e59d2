/* Finds what jobs on one node cost each other by interference (semantics 11, 26). Invariant: what
   is in `present` is up to date at the instant of the event that was applied last. */
#include "insight/blame/internal.h"

#include "base/units.h"

#include <stdlib.h>

/* A segment that holds GPUs now. */
struct present {
    int64_t since_ns;
    uint32_t others, node; /* other jobs, and the first node with this number */
};

/* Segments on a node now. */
struct company {
    ARRAY_OF(uint32_t) segments;
};

struct sweep {
    const struct recorded_run *run;
    struct neighbours *result;
    double slowdown;         /* per neighbour */
    struct present *present; /* by segment */
    struct company *nodes;
};

/* The i-th entry of a segment's GPUs is the first on its node. */
static bool is_new_node(const struct recorded_gpus *gpus, uint32_t i) {
    return i == 0 || gpus[i].node != gpus[i - 1].node;
}

/* Counts the time since the last look at the segment. */
static void settle(const struct sweep *sweep, uint32_t index, int64_t now_ns) {
    const struct recorded_segment *s = &sweep->run->segments.at[index];
    struct present *p = &sweep->present[index];
    double load = sweep->slowdown * p->others;
    if (s->kind == SEGMENT_RUN && p->others > 0) {
        int64_t warmup_ns = sweep->run->workload.warmup_ns;
        int64_t measured_ns = now_ns - (p->since_ns > warmup_ns ? p->since_ns : warmup_ns);
        double share = load / (1 + load);
        sweep->result->slowed_s[index] += units_s(now_ns - p->since_ns) * share;
        sweep->result->node_slowed_j[p->node] += power_j(s->energy) /
                                                 units_s(s->end_ns - s->start_ns) *
                                                 units_s(measured_ns > 0 ? measured_ns : 0) * share;
    }
    p->since_ns = now_ns;
}

static void count_others(const struct sweep *sweep, uint32_t index) {
    const struct recorded_segment *s = &sweep->run->segments.at[index];
    const struct recorded_gpus *gpus = &sweep->run->gpus.at[s->gpus];
    struct present *p = &sweep->present[index];
    p->others = 0;
    for (uint32_t i = 0; i < s->gpus_count; i++) {
        uint32_t others = (uint32_t)sweep->nodes[gpus[i].node].segments.count - 1;
        if (others > p->others || (others == p->others && others > 0 && gpus[i].node < p->node)) {
            p->others = others;
            p->node = gpus[i].node;
        }
    }
}

static void settle_company(const struct sweep *sweep, const struct company *node, int64_t now_ns) {
    for (size_t i = 0; i < node->segments.count; i++)
        settle(sweep, node->segments.at[i], now_ns);
}

static void count_company(const struct sweep *sweep, const struct company *node) {
    for (size_t i = 0; i < node->segments.count; i++)
        count_others(sweep, node->segments.at[i]);
}

static void leave(struct company *node, uint32_t segment) {
    size_t i = 0;
    while (node->segments.at[i] != segment)
        i++;
    node->segments.at[i] = node->segments.at[--node->segments.count];
}

static void apply(const struct sweep *sweep, const struct segment_event *event) {
    const struct recorded_segment *s = &sweep->run->segments.at[event->segment];
    const struct recorded_gpus *gpus = &sweep->run->gpus.at[s->gpus];
    for (uint32_t i = 0; i < s->gpus_count; i++)
        if (is_new_node(gpus, i))
            settle_company(sweep, &sweep->nodes[gpus[i].node], event->time_ns);
    sweep->present[event->segment].since_ns = event->time_ns;
    for (uint32_t i = 0; i < s->gpus_count; i++) {
        if (!is_new_node(gpus, i))
            continue;
        if (event->begins)
            array_push(&sweep->nodes[gpus[i].node].segments, event->segment);
        else
            leave(&sweep->nodes[gpus[i].node], event->segment);
    }
    for (uint32_t i = 0; i < s->gpus_count; i++)
        if (is_new_node(gpus, i))
            count_company(sweep, &sweep->nodes[gpus[i].node]);
}

void neighbours_find(struct neighbours *neighbours, const struct recorded_run *run) {
    const struct cluster *cluster = &run->folder->cluster;
    struct sweep sweep = {run, neighbours, cluster->slowdown_per_neighbour, NULL, NULL};
    if (sweep.slowdown == 0)
        return;
    neighbours->slowed_s = mem_zalloc(run->segments.count, sizeof *neighbours->slowed_s);
    neighbours->node_slowed_j = mem_zalloc(cluster->node_count, sizeof *neighbours->node_slowed_j);
    sweep.present = mem_zalloc(run->segments.count, sizeof *sweep.present);
    sweep.nodes = mem_zalloc(cluster->node_count, sizeof *sweep.nodes);
    for (size_t i = 0; i < run->events.count; i++)
        if (!recorded_run_is_replica(run, run->segments.at[run->events.at[i].segment].job))
            apply(&sweep, &run->events.at[i]);
    for (uint32_t n = 0; n < cluster->node_count; n++)
        free(sweep.nodes[n].segments.at);
    free(sweep.nodes);
    free(sweep.present);
}

void neighbours_finish(struct neighbours *neighbours) {
    free(neighbours->slowed_s);
    free(neighbours->node_slowed_j);
    *neighbours = (struct neighbours){0};
}
