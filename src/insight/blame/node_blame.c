/* Nodes: see node_blame.h. */
#include "insight/blame/node_blame.h"

#include "base/units.h"
#include "insight/node_changes.h"

/* Failures come before the end of the warm-up at one instant. */
static bool is_measured(const struct recorded_run *run, int64_t failure_ns) {
    return run->workload.warmup_ns == 0 || failure_ns > run->workload.warmup_ns;
}

/* What the nodes lose by being down. */
static void add_failures(const struct recorded_run *run, struct node_blame *nodes) {
    for (size_t i = 0; i < run->rests.count; i++) {
        const struct recorded_rest *r = &run->rests.at[i];
        int64_t warmup_ns = run->workload.warmup_ns;
        int64_t start_ns = r->start_ns > warmup_ns ? r->start_ns : warmup_ns;
        if (r->state != RECORDED_FAILED || r->end_ns < start_ns)
            continue;
        nodes[r->node].down_gpu_ps += (int128)(r->end_ns - start_ns) * r->count * WHOLE_GPU_MILLI;
        nodes[r->node].failures +=
            r->first == 0 && is_measured(run, r->start_ns); /* all GPUs of a node fail together */
    }
}

/* The first of the segment's nodes that failed when it ended; EASIM_NONE: none did. */
static uint32_t failed_node(const struct recorded_run *run, const struct node_changes *changes,
                            const struct recorded_segment *segment) {
    const struct recorded_gpus *gpus = &run->gpus.at[segment->gpus];
    for (uint32_t i = 0; i < segment->gpus_count; i++)
        if (node_changes_fail(changes, gpus[i].node, segment->end_ns))
            return gpus[i].node;
    return EASIM_NONE;
}

/* The lost segments of a job that end with `last`, one after the other. */
static void add_lost(const struct recorded_run *run, const struct recorded_job *job,
                     const struct recorded_segment *last, struct node_blame *node) {
    const struct recorded_segment *first = recorded_run_segments(run, job);
    for (const struct recorded_segment *s = last; s >= first && s->kind == SEGMENT_LOST; s--) {
        node->lost_gpu_ps += recorded_run_gpu_ps(run, s);
        node->lost_energy += s->energy;
    }
}

struct node_blame *node_blame_find(const struct recorded_run *run, const struct blame *blame) {
    uint32_t node_count = run->folder->cluster.node_count;
    struct node_blame *nodes = mem_zalloc(node_count, sizeof *nodes);
    struct node_changes changes = {0};
    node_changes_find(&changes, run);
    add_failures(run, nodes);
    for (uint32_t j = 0; j < run->workload.jobs.count; j++) {
        const struct recorded_job *job = &run->jobs[j];
        const struct recorded_segment *segments = recorded_run_segments(run, job);
        for (uint32_t i = 0; i < job->segment_count; i++) {
            const struct recorded_segment *s = &segments[i];
            if (s->ended != CAUSE_NODE_FAILED || recorded_segment_waits(s) ||
                !is_measured(run, s->end_ns))
                continue;
            uint32_t node = failed_node(run, &changes, s);
            if (node == EASIM_NONE)
                continue;
            nodes[node].stopped_jobs++;
            add_lost(run, job, s, &nodes[node]);
        }
    }
    for (uint32_t n = 0; blame->node_slowed_j && n < node_count; n++)
        nodes[n].slowed_j = blame->node_slowed_j[n];
    node_changes_finish(&changes);
    return nodes;
}
