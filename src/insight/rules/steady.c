/* Rules of the run as a measurement: whether it is of a steady state. */
#include "base/numfmt.h"
#include "base/units.h"
#include "insight/rules/internal.h"

#include <math.h>
#include <stdlib.h>

/* ---- QUEUE ---- */

#define BATCHES 20 /* equal parts of the time */

/* The queue from from_ns to the last submission, in equal parts. */
struct growth_of_queue {
    int64_t from_ns, to_ns;
    double at[BATCHES + 1]; /* jobs that wait at the ends of the parts */
    double slope_per_h, error_per_h;
};

static void count_waiting(const struct rule_run *rule_run, struct growth_of_queue *g) {
    const struct recorded_run *run = rule_run->run;
    const struct segment_event *event = run->events.at, *last = event + run->events.count;
    double waiting = 0;
    for (int b = 0; b <= BATCHES; b++) {
        int64_t until_ns =
            b == BATCHES ? g->to_ns : g->from_ns + (g->to_ns - g->from_ns) / BATCHES * b;
        /* At the end itself: what waits up to it. */
        for (; event < last && event->time_ns < until_ns + (b == 0); event++)
            if (run->segments.at[event->segment].kind == SEGMENT_QUEUED)
                waiting += event->begins ? 1 : -1;
        g->at[b] = waiting;
    }
}

static bool measure_growth(const struct rule_run *rule_run, struct growth_of_queue *g) {
    uint32_t jobs = rule_run_jobs(rule_run);
    g->from_ns = rule_run->from_ns;
    g->to_ns = jobs > 0 ? rule_run->run->workload.jobs.at[jobs - 1].submit_ns : 0;
    if (rule_run->folder->scenario.horizon_ns != TIME_NONE_NS)
        g->to_ns = rule_run->to_ns;
    if (g->to_ns - g->from_ns < BATCHES || jobs < BATCHES)
        return false;
    count_waiting(rule_run, g);
    double part_h = units_s(g->to_ns - g->from_ns) / S_PER_H / BATCHES, squares = 0;
    g->slope_per_h = (g->at[BATCHES] - g->at[0]) / (BATCHES * part_h);
    for (int b = 0; b < BATCHES; b++) {
        double off = (g->at[b + 1] - g->at[b]) / part_h - g->slope_per_h;
        squares += off * off;
    }
    g->error_per_h = sqrt(squares / (BATCHES - 1) / BATCHES);
    return true;
}

/* Less load, or as many more nodes of every kind. */
static void propose_capacity(double rho, struct insight *insight) {
    const struct yaml_node *workload = proposal_section(insight, "workload");
    const struct yaml_node *cluster = proposal_section(insight, "cluster");
    const struct yaml_node *nodes = cluster ? yaml_find(cluster, "nodes") : NULL;
    static const char *const keys[] = {"load", "rate_per_s"};
    double value;
    for (size_t i = 0; workload && i < 2; i++) {
        const struct yaml_node *node = yaml_find(workload, keys[i]);
        if (!node || node->kind != YAML_NODE_SCALAR ||
            !numfmt_parse_real(node->text, node->length, &value))
            continue;
        insight_change(insight, arena_printf(insight->arena, "workload.%s", keys[i]),
                       proposal_number(insight, value / (1.25 * rho)));
        insight->what_if.assumes = "fewer jobs came";
        return;
    }
    for (size_t i = 0; nodes && nodes->kind == YAML_NODE_SEQUENCE && i < nodes->count; i++) {
        const struct yaml_node *count = yaml_find(nodes->items[i], "count");
        if (!count || !numfmt_parse_real(count->text, count->length, &value))
            value = 1;
        insight_change(insight, arena_printf(insight->arena, "cluster.nodes[%zu].count", i),
                       proposal_number(insight, ceil(1.25 * rho * value)));
        insight->what_if.assumes = "there were more nodes";
    }
    if (insight->what_if.changes.count == 0)
        insight->what_if.note = "the scenario states no load and no nodes";
}

/* Work that arrives over work that is served. Drained, all of it is: then what the jobs held over
   what the GPUs had to give until the last submission. */
static double offered_load(const struct rule_run *rule_run, const struct growth_of_queue *g) {
    const struct summary *summary = &rule_run->run->summary;
    double held_gpu_s = 0;
    if (rule_run->folder->scenario.horizon_ns != TIME_NONE_NS)
        return summary->work_done_gpu_h > 0
                   ? summary->work_submitted_gpu_h / summary->work_done_gpu_h
                   : INFINITY;
    for (size_t i = 0; i < rule_run->run->segments.count; i++)
        held_gpu_s += rule_run_gpu_s(rule_run, &rule_run->run->segments.at[i]);
    return held_gpu_s / (rule_run->folder->cluster.gpus * units_s(g->to_ns - g->from_ns));
}

static void report_queue(const struct rule_run *rule_run, const struct growth_of_queue *g,
                         struct insights *insights) {
    const struct summary *summary = &rule_run->run->summary;
    struct insight *insight = insights_add(insights, units_s(g->from_ns), units_s(g->to_ns));
    double left = summary->work_unfinished_gpu_h, rho = offered_load(rule_run, g);
    double done_per_h = summary->work_done_gpu_h / (summary->sim_s / S_PER_H);
    insight_find(insight,
                 "the queue grows by %.3g jobs/h (standard error %.2g), so means depend on the "
                 "length of the run",
                 g->slope_per_h, g->error_per_h);
    SHOW(insight, queue, .slope = g->slope_per_h, .standard_error = g->error_per_h, .rho = rho,
         .waiting_at_end = g->at[BATCHES],
         .time_to_work_off = done_per_h > 0 ? left / done_per_h : NAN, .work_unfinished = left);
    insight_evidence(insight, EVIDENCE_INTERVAL, "", insight->from_s, insight->to_s,
                     "%.0f jobs wait at first, %.0f at the end", g->at[0], g->at[BATCHES]);
    insight->recommendation = "more capacity or less load; do not quote means of such a run";
    propose_capacity(rho > 1 && isfinite(rho) ? rho : 1, insight);
    proposal_policies(insight, EASIM_READS_RUN_TIMES, 0);
    insight_weigh(insight, rho > 1 ? 1 - 1 / rho : 0, 1);
}

void find_queue(const struct rule_run *rule_run, const void *thresholds,
                struct insights *insights) {
    const struct queue_thresholds *t = thresholds;
    struct growth_of_queue g = {0};
    if (measure_growth(rule_run, &g) && g.slope_per_h > 0 &&
        g.slope_per_h > t->standard_errors * g.error_per_h)
        report_queue(rule_run, &g, insights);
}

/* ---- WARMUP ---- */

struct filling {
    double median; /* GPUs held, by time */
    int64_t full_ns, empties_ns;
    double missing_gpu_s; /* below the median, outside */
};

/* From one change of the GPUs that are held to the next. */
struct held {
    int64_t from_ns, to_ns;
    double gpus, s;     /* GPUs, and the measured time for which they are held */
    int64_t then_milli; /* held after it */
    size_t next;        /* event */
};

/* The next with a measured time. Zero-initialise. */
static bool next_held(const struct rule_run *rule_run, struct held *held) {
    const struct recorded_run *run = rule_run->run;
    while (held->next <= run->events.count) {
        const struct segment_event *event =
            held->next < run->events.count ? &run->events.at[held->next] : NULL;
        int64_t milli = event ? recorded_run_milli(run, &run->segments.at[event->segment]) : 0;
        held->next++;
        if (event && milli == 0)
            continue;
        held->from_ns = held->to_ns;
        held->to_ns = event ? event->time_ns : rule_run->to_ns;
        held->gpus = (double)held->then_milli / WHOLE_GPU_MILLI;
        held->then_milli += event && event->begins ? milli : -milli;
        held->s = rule_run_overlap_s(rule_run, held->from_ns, held->to_ns);
        if (held->s > 0)
            return true;
    }
    return false;
}

struct level {
    double gpus, s;
};

ORDER_BY(compare_levels, struct level, ASC(gpus))

static double median_by_time(const struct rule_run *rule_run) {
    struct intern numbers = {0};
    ARRAY_OF(struct level) levels = {0};
    struct held held = {0};
    double s = 0, whole_s = rule_run->to_s - rule_run->from_s;
    bool is_new;
    size_t i = 0;
    while (next_held(rule_run, &held)) {
        uint32_t number = intern(&numbers, &held.gpus, sizeof held.gpus, &is_new);
        if (is_new)
            array_push(&levels, ((struct level){held.gpus, 0}));
        levels.at[number].s += held.s;
    }
    sort_array(levels.at, levels.count, compare_levels);
    while (i + 1 < levels.count && (s += levels.at[i].s) < whole_s / 2)
        i++;
    double median = levels.count > 0 ? levels.at[i].gpus : 0;
    intern_finish(&numbers);
    free(levels.at);
    return median;
}

/* From the first to the last time at which the cluster is as full as usual. */
static void find_full_time(const struct rule_run *rule_run, double of_median,
                           struct filling *filling) {
    double enough = of_median * filling->median * (1 - 1e-9), before_gpu_s = -1;
    struct held held = {0};
    while (next_held(rule_run, &held)) {
        if (held.gpus < enough) {
            filling->missing_gpu_s += held.s * fmax(filling->median - held.gpus, 0);
            continue;
        }
        if (before_gpu_s < 0) {
            before_gpu_s = filling->missing_gpu_s;
            filling->full_ns = held.from_ns > rule_run->from_ns ? held.from_ns : rule_run->from_ns;
        }
        filling->missing_gpu_s = before_gpu_s;
        filling->empties_ns = held.to_ns;
    }
}

static void report_warmup(const struct rule_run *rule_run, const struct filling *filling,
                          double share, struct insights *insights) {
    struct insight *insight = insights_add(insights, rule_run->from_s, rule_run->to_s);
    double full_s = units_s(filling->full_ns), empties_s = units_s(filling->empties_ns);
    insight_find(insight,
                 "for %.0f %% of the measured time the cluster fills or empties: it is full from "
                 "%.4g to %.4g h",
                 100 * share, full_s / S_PER_H, empties_s / S_PER_H);
    SHOW(insight, warmup, .share_outside = share, .full_from = full_s, .full_until = empties_s,
         .median_in_use = filling->median, .missing = filling->missing_gpu_s / S_PER_H);
    insight_evidence(insight, EVIDENCE_INTERVAL, "", full_s, empties_s, "as full as usual");
    insight->recommendation = arena_printf(
        &insights->arena, "a longer run, or a warm-up of %.9g s and a horizon of %.9g s", full_s,
        empties_s);
    insight->what_if.note = "another warm-up or horizon changes what is measured, not what happens";
    insight_weigh(insight, filling->missing_gpu_s, rule_run->gpu_s);
}

void find_warmup(const struct rule_run *rule_run, const void *thresholds,
                 struct insights *insights) {
    const struct warmup_thresholds *t = thresholds;
    struct filling filling = {0};
    double whole_s = rule_run->to_s - rule_run->from_s;
    filling.median = median_by_time(rule_run);
    if (filling.median > 0) {
        find_full_time(rule_run, t->of_median, &filling);
        double share = 1 - units_s(filling.empties_ns - filling.full_ns) / whole_s;
        if (share > t->most_share)
            report_warmup(rule_run, &filling, share, insights);
    }
}
