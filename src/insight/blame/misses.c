/* Causes of missed deadlines, and costs of nodes: see misses.h. */
#include "insight/blame/misses.h"

#include "base/units.h"
#include "insight/run_events.h"
#include "metrics/job_record.h"

#include <math.h>

/* --- miss_cause --- */

const char *const miss_cause_names[] = {
    [MISS_QUEUED] = "queued behind", [MISS_CAPPED] = "capped",
    [MISS_PREEMPTED] = "preempted",  [MISS_INFEASIBLE] = "infeasible at submit",
    [MISS_FAILED] = "failed",        [MISS_RESIZED] = "resized",
    [MISS_SLOWED] = "slowed",        [MISS_CONFIGURATION] = "configuration"};

/* Least time of what is left of a job on the empty cluster. */
static double best_time_s(const struct recorded_run *run, const struct job_spec *job, double work,
                          double setup_s) {
    return config_table_best_s(&run->workload.table, job->set, work, setup_s);
}

static double late_s(const struct recorded_run *run, uint32_t job) {
    const struct job_spec *spec = &run->workload.jobs.at[job];
    const struct recorded_job *j = &run->jobs[job];
    const struct start_costs *costs = workload_costs(&run->workload, spec);
    if (j->finish_ns >= 0)
        return units_s(j->finish_ns - spec->deadline_ns);
    double setup_s = j->state != EASIM_JOB_WAITING ? 0
                     : j->start_ns >= 0            ? costs->restart_s
                                                   : costs->start_s;
    double left = spec->work - j->work_kept;
    return units_s(run->part->end_ns - spec->deadline_ns) +
           best_time_s(run, spec, left > 0 ? left : 0, setup_s);
}

static bool is_infeasible(const struct recorded_run *run, uint32_t job) {
    const struct job_spec *spec = &run->workload.jobs.at[job];
    const struct start_costs *costs = workload_costs(&run->workload, spec);
    return best_time_s(run, spec, spec->work, costs->start_s) >
           units_s(spec->deadline_ns - spec->submit_ns);
}

/* The cost of each cause for the job, in the order in which they are tested. */
static int64_t cost_ns(const struct job_blame *b, enum miss_cause cause) {
    switch (cause) {
    case MISS_QUEUED:
        return b->part_ns[BLAME_QUEUED];
    case MISS_CAPPED:
        return b->part_ns[BLAME_CAPPED];
    case MISS_PREEMPTED:
        return b->part_ns[BLAME_PREEMPTED] + b->lost_preempted_ns;
    case MISS_FAILED:
        return b->part_ns[BLAME_FAILED] + b->lost_failed_ns;
    case MISS_RESIZED:
        return b->part_ns[BLAME_RESIZED] + b->part_ns[BLAME_LOST] - b->lost_preempted_ns -
               b->lost_failed_ns;
    case MISS_SLOWED:
        return b->part_ns[BLAME_SLOWED];
    default:
        return 0;
    }
}

enum miss_cause miss_cause_find(const struct recorded_run *run, const struct blame *blame,
                                uint32_t job, double *ret_late_s) {
    const struct job_spec *spec = &run->workload.jobs.at[job];
    const struct recorded_job *j = &run->jobs[job];
    *ret_late_s = NAN;
    if (deadline_judge(spec->deadline_ns, j->finish_ns, run->folder->scenario.horizon_ns) !=
            DEADLINE_MISSED ||
        j->state == EASIM_JOB_PENDING)
        return MISS_NOT;
    if (j->state == EASIM_JOB_REJECTED)
        return MISS_INFEASIBLE;
    double late = *ret_late_s = late_s(run, job), so_far_s = 0;
    for (enum miss_cause cause = MISS_QUEUED; cause < MISS_CONFIGURATION; cause++) {
        if (cause == MISS_INFEASIBLE && is_infeasible(run, job))
            return MISS_INFEASIBLE;
        double cost_s = units_s(cost_ns(&blame->jobs[job], cause));
        so_far_s += cost_s;
        if (cost_s > 0 && so_far_s >= late)
            return cause;
    }
    return MISS_CONFIGURATION;
}

/* --- node_blame --- */

/* Failures come before the end of the warm-up at one instant. */
static bool is_measured(const struct recorded_run *run, int64_t failure_ns) {
    return run->workload.warmup_ns == 0 || failure_ns > run->workload.warmup_ns;
}

/* Adds the losses of nodes while they are down. */
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
