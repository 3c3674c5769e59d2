/* Rules of overheads: idle GPUs, and short jobs. */
#include "base/units.h"
#include "insight/rules/gathered.h"
#include "insight/rules/internal.h"

#include <math.h>

/* --- idle: GPUs that are powered for no job, and the end of a run --- */

/* ---- IDLE ---- */

/* Awake and without a job: held back, fragmented or idle. */
static double idle_of(const struct waste_amount *classes) {
    return classes[WASTE_HELD_BACK].energy_j + classes[WASTE_FRAGMENTED].energy_j +
           classes[WASTE_IDLE].energy_j;
}

/* The longest times over which the same GPU was free and awake. */
static struct top_list longest_rests(const struct rule_run *rule_run) {
    struct top_list list = {0};
    for (size_t i = 0; i < rule_run->run->rests.count; i++) {
        const struct recorded_rest *rest = &rule_run->run->rests.at[i];
        double s = rule_run_overlap_s(rule_run, rest->start_ns, rest->end_ns);
        if (rest->state == RECORDED_FREE && s > 0)
            top_list_add(&list, (struct top_entry){s, (uint32_t)i, rest->start_ns, rest->end_ns});
    }
    return list;
}

static void add_rests(const struct rule_run *rule_run, const struct top_list *rests,
                      struct insight *insight) {
    const struct cluster *cluster = &rule_run->folder->cluster;
    for (size_t i = 0; i < rests->count; i++) {
        const struct top_entry *e = &rests->at[i];
        const struct recorded_rest *rest = &rule_run->run->rests.at[e->index];
        insight_evidence(insight, EVIDENCE_GPU_TYPE,
                         cluster->gpu_types[cluster->nodes[rest->node].gpu_type].name,
                         units_s(e->from_ns), units_s(e->to_ns),
                         "node %u, GPUs %u-%u, awake and free", rest->node, rest->first,
                         rest->first + rest->count - 1);
    }
    insight->evidence_count = rests->total;
}

/* Sleep after a while, of each type that draws most of it; where it sleeps already, sooner. */
static void propose_sleep(const struct rule_run *rule_run, const struct idle_thresholds *t,
                          struct insight *insight) {
    const struct cluster *cluster = &rule_run->folder->cluster;
    struct arena *arena = insight->arena;
    for (uint32_t h = 0; h < cluster->gpu_type_count; h++) {
        const struct gpu_type *type = &cluster->gpu_types[h];
        if (type->gpus == 0 || type->idle_w <= 0 || type->sleep_after_s <= t->sleep_after_s)
            continue;
        if (!isfinite(type->sleep_after_s)) {
            insight_change(insight, arena_printf(arena, "cluster.gpu_types[%u].sleep_w", h),
                           arena_printf(arena, "%.17g", t->sleep_share * type->idle_w));
            insight->what_if.note = "The power of a sleeping GPU is assumed where the scenario "
                                    "does not state it (threshold sleep_share)";
        }
        insight_change(insight, arena_printf(arena, "cluster.gpu_types[%u].sleep_after", h),
                       arena_printf(arena, "%.17g", t->sleep_after_s));
    }
    if (insight->what_if.changes.count == 0)
        proposal_none(insight, "idle GPUs sleep as soon as that already");
}

void find_idle(const struct rule_run *rule_run, const void *thresholds, struct insights *insights) {
    const struct idle_thresholds *t = thresholds;
    double idle_j = idle_of(rule_run->waste->of);
    if (idle_j <= t->least_share * rule_run->energy_j)
        return;
    struct insight *insight = insights_add(insights, rule_run->from_s, rule_run->to_s);
    struct top_list rests = longest_rests(rule_run);
    insight_find(insight, "GPUs without a job drew %.4g kWh while awake, %.1f %% of all energy",
                 idle_j / J_PER_KWH, 100 * idle_j / rule_run->energy_j);
    SHOW(insight, idle, .energy = idle_j / J_PER_KWH, .share = idle_j / rule_run->energy_j,
         .held_back = rule_run->waste->of[WASTE_HELD_BACK].energy_j / J_PER_KWH,
         .fragmented = rule_run->waste->of[WASTE_FRAGMENTED].energy_j / J_PER_KWH,
         .idle = rule_run->waste->of[WASTE_IDLE].energy_j / J_PER_KWH,
         .longest_window = rests.count > 0 ? rests.at[0].weight : 0);
    add_rests(rule_run, &rests, insight);
    insight->recommendation = "let idle GPUs sleep";
    propose_sleep(rule_run, t, insight);
    insight_weigh(insight, idle_j, rule_run->energy_j);
}

/* ---- TAIL ---- */

/* The last part of the time from the first submission to the last finish; and its last job. */
struct tail {
    int64_t from_ns, to_ns;
    double held_gpu_s, idle_j;
    struct top_list jobs; /* that held GPUs in it */
};

static double overlap_s(const struct tail *tail, int64_t start_ns, int64_t end_ns) {
    int64_t from = start_ns > tail->from_ns ? start_ns : tail->from_ns;
    int64_t to = end_ns < tail->to_ns ? end_ns : tail->to_ns;
    return to > from ? units_s(to - from) : 0;
}

static bool find_window(const struct rule_run *rule_run, double share, struct tail *tail) {
    int64_t first_ns = INT64_MAX;
    tail->to_ns = -1;
    for (uint32_t j = 0; j < rule_run_jobs(rule_run); j++) {
        int64_t submit_ns = rule_run->run->workload.jobs.at[j].submit_ns;
        int64_t finish_ns = rule_run->run->jobs[j].finish_ns;
        if (!recorded_run_measures(rule_run->run, j))
            continue;
        first_ns = submit_ns < first_ns ? submit_ns : first_ns;
        tail->to_ns = finish_ns > tail->to_ns ? finish_ns : tail->to_ns;
    }
    if (tail->to_ns <= first_ns)
        return false;
    tail->from_ns = tail->to_ns - units_ns(share * units_s(tail->to_ns - first_ns));
    return tail->from_ns < tail->to_ns;
}

static void measure_tail(const struct rule_run *rule_run, struct tail *tail) {
    const struct recorded_run *run = rule_run->run;
    const struct cluster *cluster = &rule_run->folder->cluster;
    for (size_t i = 0; i < run->segments.count; i++) {
        const struct recorded_segment *segment = &run->segments.at[i];
        double gpu_s = (double)recorded_run_milli(run, segment) / WHOLE_GPU_MILLI *
                       overlap_s(tail, segment->start_ns, segment->end_ns);
        tail->held_gpu_s += gpu_s;
        if (gpu_s > 0)
            top_list_add(&tail->jobs, (struct top_entry){gpu_s, segment->job, segment->start_ns,
                                                         segment->end_ns});
    }
    for (size_t i = 0; i < run->rests.count; i++) {
        const struct recorded_rest *rest = &run->rests.at[i];
        const struct gpu_type *type = &cluster->gpu_types[cluster->nodes[rest->node].gpu_type];
        if (rest->state == RECORDED_FREE)
            tail->idle_j +=
                rest->count * type->idle_w * overlap_s(tail, rest->start_ns, rest->end_ns);
    }
}

static void report_tail(const struct rule_run *rule_run, const struct tail *tail, double use,
                        struct insights *insights) {
    struct insight *insight = insights_add(insights, units_s(tail->from_ns), units_s(tail->to_ns));
    double length_s = units_s(tail->to_ns - tail->from_ns);
    insight_find(insight, "in the last %.4g s before the last finish jobs held %.1f %% of the GPUs",
                 length_s, 100 * use);
    SHOW(insight, tail, .time = length_s, .use = use, .energy_idle = tail->idle_j / J_PER_KWH);
    for (size_t i = 0; i < tail->jobs.count; i++) {
        const struct top_entry *e = &tail->jobs.at[i];
        insight_evidence(insight, EVIDENCE_SEGMENT, rule_run->run->workload.jobs.at[e->index].id,
                         units_s(e->from_ns), units_s(e->to_ns), "holds GPUs at the end");
    }
    insight->evidence_count = tail->jobs.total;
    insight->recommendation = "let jobs grow when no job waits";
    (void)proposal_param(insight, "resize", "true");
    proposal_policies(insight, EASIM_READS_RUN_TIMES, 0);
    insight_weigh(insight, tail->idle_j, rule_run->energy_j);
}

void find_tail(const struct rule_run *rule_run, const void *thresholds, struct insights *insights) {
    const struct tail_thresholds *t = thresholds;
    struct tail tail = {0};
    if (!find_window(rule_run, t->tail_share, &tail))
        return;
    measure_tail(rule_run, &tail);
    double use =
        tail.held_gpu_s / (units_s(tail.to_ns - tail.from_ns) * rule_run->folder->cluster.gpus);
    if (use < t->least_use)
        report_tail(rule_run, &tail, use, insights);
}

/* --- short_jobs: SHORT: jobs that compute hardly longer than they take to begin --- */

/* For one job, in the measured time; computing as a whole. */
struct spent {
    double setup_s, setup_j, setup_gpu_s, computed_s;
};

static struct spent spent_by(const struct rule_run *rule_run, uint32_t job) {
    const struct recorded_job *recorded = &rule_run->run->jobs[job];
    const struct recorded_segment *segments = recorded_run_segments(rule_run->run, recorded);
    struct spent spent = {0};
    for (uint32_t i = 0; i < recorded->segment_count; i++) {
        const struct recorded_segment *s = &segments[i];
        double length_s = units_s(s->end_ns - s->start_ns);
        if (s->kind == SEGMENT_RUN || s->kind == SEGMENT_LOST)
            spent.computed_s += length_s;
        if (s->kind != SEGMENT_SETUP)
            continue;
        spent.setup_s += length_s;
        spent.setup_j += rule_run_energy_j(rule_run, s);
        spent.setup_gpu_s += rule_run_gpu_s(rule_run, s);
    }
    return spent;
}

static void report_short(const struct rule_run *rule_run, struct gathered *g,
                         struct insights *insights) {
    struct insight *insight =
        gathered_report(rule_run, g, "kWh of set-ups", 1 / J_PER_KWH, insights);
    insight_find(insight,
                 "%u jobs compute hardly longer than they take to begin: %.4g kWh of "
                 "set-ups, %.1f %% of all energy",
                 g->jobs, g->lost_j / J_PER_KWH,
                 rule_run->energy_j > 0 ? 100 * g->lost_j / rule_run->energy_j : 0);
    SHOW(insight, short_jobs, .jobs = g->jobs, .set_up_energy = g->lost_j / J_PER_KWH,
         .set_up = g->lost_gpu_s / S_PER_H, .set_up_time = g->s,
         .overhead = g->s / (g->s + g->gained_s));
    insight->recommendation = "let one job do the work of several: a set-up for all of them";
    insight->what_if.note = "the scenario does not tell which jobs belong together";
    insight_weigh(insight, g->lost_j, rule_run->energy_j);
}

void find_short_jobs(const struct rule_run *rule_run, const void *thresholds,
                     struct insights *insights) {
    const struct short_jobs_thresholds *t = thresholds;
    struct gathered_list list = {0};
    for (uint32_t j = 0; j < rule_run_jobs(rule_run); j++) {
        const struct recorded_job *job = &rule_run->run->jobs[j];
        if (!recorded_run_measures(rule_run->run, j) || job->finish_ns < 0)
            continue;
        struct spent spent = spent_by(rule_run, j);
        if (spent.setup_s <= 0 || spent.computed_s >= t->set_ups * spent.setup_s)
            continue;
        struct gathered *g = gathered_find(&list, EASIM_NONE, EASIM_NONE, EASIM_NONE);
        g->lost_j += spent.setup_j;
        g->lost_gpu_s += spent.setup_gpu_s;
        g->s += spent.setup_s;
        g->gained_s += spent.computed_s;
        gathered_add(g, j, rule_run->run->workload.jobs.at[j].submit_ns, job->finish_ns,
                     spent.setup_j);
    }
    gathered_report_all(rule_run, &list, report_short, insights);
}
