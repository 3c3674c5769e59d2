/* Rules of deadlines: those that were missed, and those that could not be met. */
#include "base/units.h"
#include "insight/blame/misses.h"
#include "insight/rules/gathered.h"
#include "insight/rules/internal.h"

#include <math.h>
#include <stdlib.h>

/* ---- MISS ---- */

struct misses {
    double jobs, by_cause[MISS_CAUSES];
    struct top_list latest;
    enum miss_cause *causes;   /* by job */
    int64_t first_ns, last_ns; /* from the first submission of one of them to the last finish */
};

static void count_misses(const struct rule_run *rule_run, struct misses *misses) {
    for (uint32_t j = 0; j < rule_run_jobs(rule_run); j++) {
        const struct job_spec *spec = &rule_run->run->workload.jobs.at[j];
        double late_s;
        enum miss_cause cause = miss_cause_find(rule_run->run, rule_run->blame, j, &late_s);
        if (cause == MISS_NOT || !recorded_run_measures(rule_run->run, j))
            continue;
        int64_t end_ns = rule_run->run->jobs[j].finish_ns;
        end_ns = end_ns < 0 ? rule_run->to_ns : end_ns;
        misses->causes[j] = cause;
        misses->first_ns = misses->jobs > 0 ? misses->first_ns : spec->submit_ns;
        misses->last_ns = end_ns > misses->last_ns ? end_ns : misses->last_ns;
        misses->jobs++;
        misses->by_cause[cause]++;
        top_list_add(&misses->latest,
                     (struct top_entry){isfinite(late_s) ? late_s : 0, j, spec->submit_ns, end_ns});
    }
}

static enum miss_cause most_frequent(const struct misses *misses) {
    enum miss_cause most = MISS_QUEUED;
    for (enum miss_cause c = MISS_QUEUED; c < MISS_CAUSES; c++)
        most = misses->by_cause[c] > misses->by_cause[most] ? c : most;
    return most;
}

static const char *const miss_advice[MISS_CAUSES] = {
    [MISS_NOT] = "",
    [MISS_QUEUED] = "an order that looks at deadlines",
    [MISS_CAPPED] = "an order that looks at deadlines",
    [MISS_PREEMPTED] = "preempt jobs with deadlines last, and rarely",
    [MISS_INFEASIBLE] = "refuse these deadlines at submission, or agree on others",
    [MISS_FAILED] = "write checkpoints more often, or keep spare GPUs for these jobs",
    [MISS_RESIZED] = "resize jobs with deadlines less often",
    [MISS_SLOWED] = "give jobs with deadlines nodes of their own",
    [MISS_CONFIGURATION] = "start jobs with deadlines sooner",
};

static void propose_for_miss(enum miss_cause cause, struct insight *insight) {
    if (cause == MISS_CAPPED)
        proposal_free_cap(insight);
    else if (cause == MISS_PREEMPTED)
        (void)(proposal_param(insight, "displace", "0") ||
               proposal_duration(insight, "round", 4, 120));
    else if (cause == MISS_RESIZED)
        (void)proposal_duration(insight, "resize_interval_s", 8, 300);
    else if (cause == MISS_CONFIGURATION)
        (void)proposal_param(insight, "urgent", "time");
    if (cause == MISS_INFEASIBLE)
        proposal_none(insight, "they were rejected, or the empty cluster would miss them, too");
    else
        proposal_policies(insight, EASIM_READS_DEADLINES, 0);
}

static void report_misses(const struct rule_run *rule_run, const struct misses *misses,
                          struct insights *insights) {
    const struct summary *summary = &rule_run->run->summary;
    struct insight *insight =
        insights_add(insights, units_s(misses->first_ns), units_s(misses->last_ns));
    enum miss_cause most = most_frequent(misses);
    insight_find(insight, "%.0f of %.0f due deadlines missed, most often (%.0f): %s", misses->jobs,
                 summary->deadline_jobs, misses->by_cause[most], miss_cause_names[most]);
    SHOW(insight, miss, .jobs = misses->jobs, .lateness_p50 = summary->lateness_p50_s,
         .lateness_p95 = summary->lateness_p95_s);
    for (enum miss_cause c = MISS_QUEUED; c < MISS_CAUSES; c++)
        insight_figure_of(insight, miss_cause_figures, miss_cause_names[c], misses->by_cause[c]);
    for (size_t i = 0; i < misses->latest.count; i++) {
        const struct top_entry *e = &misses->latest.at[i];
        job_evidence_add(insight, e, "late by %.4g s: %s", e->weight,
                         miss_cause_names[misses->causes[e->index]]);
    }
    insight->evidence_count = misses->latest.total;
    insight->recommendation = miss_advice[most];
    propose_for_miss(most, insight);
    insight_weigh(insight, misses->jobs, rule_run->jobs);
}

void find_miss(const struct rule_run *rule_run, const void *thresholds, struct insights *insights) {
    const struct miss_thresholds *t = thresholds;
    struct misses misses = {0};
    misses.causes = mem_zalloc(rule_run_jobs(rule_run) + 1, sizeof *misses.causes);
    count_misses(rule_run, &misses);
    if (misses.jobs >= (double)t->least_jobs)
        report_misses(rule_run, &misses, insights);
    free(misses.causes);
}

/* ---- INFEAS ---- */

/* By how much the job's deadline is before the earliest that it could finish on an empty cluster;
   NAN: it has none, or no configuration. */
static double gap_s(const struct rule_run *rule_run, uint32_t job) {
    const struct workload *workload = &rule_run->run->workload;
    const struct job_spec *spec = &workload->jobs.at[job];
    if (spec->deadline_ns == TIME_NONE_NS || workload->table.sets.at[spec->set].count == 0)
        return NAN;
    double setup_s = workload_costs(workload, spec)->start_s;
    double best_s = config_table_best_s(&workload->table, spec->set, spec->work, setup_s);
    return best_s - units_s(spec->deadline_ns - spec->submit_ns);
}

static void report_infeas(const struct rule_run *rule_run, const struct top_list *worst,
                          double gap_sum_s, struct insights *insights) {
    struct insight *insight = insights_add(insights, rule_run->from_s, rule_run->to_s);
    insight_find(
        insight,
        "%zu of %.0f jobs had deadlines before they could finish even alone on the cluster, by up "
        "to %.4g s",
        worst->total, rule_run->jobs, worst->at[0].weight);
    SHOW(insight, infeas, .jobs = (double)worst->total,
         .gap_mean = gap_sum_s / (double)worst->total, .gap_max = worst->at[0].weight);
    for (size_t i = 0; i < worst->count; i++) {
        const struct top_entry *e = &worst->at[i];
        job_evidence_add(insight, e, "%.4g s too early", e->weight);
    }
    insight->evidence_count = worst->total;
    insight->recommendation = "reject such jobs at submission, or agree on a later deadline";
    proposal_none(insight, "no schedule meets these deadlines");
    insight_weigh(insight, (double)worst->total, rule_run->jobs);
}

void find_infeas(const struct rule_run *rule_run, const void *thresholds,
                 struct insights *insights) {
    const struct infeas_thresholds *t = thresholds;
    struct top_list worst = {0};
    double sum_s = 0;
    for (uint32_t j = 0; j < rule_run_jobs(rule_run); j++) {
        const struct job_spec *spec = &rule_run->run->workload.jobs.at[j];
        double gap = recorded_run_measures(rule_run->run, j) ? gap_s(rule_run, j) : NAN;
        if (!(gap > 0.5 / NS_PER_S)) /* times are whole nanoseconds */
            continue;
        sum_s += gap;
        top_list_add(&worst, (struct top_entry){gap, j, spec->submit_ns, spec->deadline_ns});
    }
    if (worst.total >= (size_t)t->least_jobs)
        report_infeas(rule_run, &worst, sum_s, insights);
}
