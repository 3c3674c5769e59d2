/* Rules of interruptions: what stopping jobs costs, and jobs that are stopped again and again. */
#include "base/units.h"
#include "insight/rules/gathered.h"
#include "insight/rules/internal.h"

#include <math.h>
#include <stdlib.h>

static double overhead_j(const struct rule_run *rule_run, uint32_t job) {
    return rule_run->waste->jobs[job].reconfigured_j + rule_run->waste->jobs[job].failed_j;
}

static double job_energy_j(const struct rule_run *rule_run, uint32_t job) {
    const struct recorded_job *recorded = &rule_run->run->jobs[job];
    const struct recorded_segment *segments = recorded_run_segments(rule_run->run, recorded);
    double j = 0;
    for (uint32_t i = 0; i < recorded->segment_count; i++)
        j += rule_run_energy_j(rule_run, &segments[i]);
    return j;
}

static void add_jobs(const struct rule_run *rule_run, const struct top_list *jobs,
                     struct insight *insight) {
    for (size_t i = 0; i < jobs->count; i++) {
        uint32_t j = jobs->at[i].index;
        const struct recorded_job *job = &rule_run->run->jobs[j];
        const struct job_spec *spec = &rule_run->run->workload.jobs.at[j];
        insight_evidence(insight, EVIDENCE_JOB, spec->id, units_s(spec->submit_ns),
                         job->finish_ns < 0 ? rule_run->to_s : units_s(job->finish_ns),
                         "%.4g kWh for %u preemptions, %u resizes and %u failures",
                         overhead_j(rule_run, j) / J_PER_KWH, job->preemptions, job->resizes,
                         job->failures);
    }
    insight->evidence_count = jobs->total;
}

/* Fewer interruptions of the kind that this policy makes. */
static bool propose_calm(struct insight *insight) {
    return proposal_param(insight, "displace", "0") ||
           proposal_duration(insight, "round", 4, 120) ||
           proposal_param(insight, "resize", "false");
}

/* ---- PREEMPT ---- */

/* Young's period for the jobs that failures stop: sqrt(2 C MTBF), C the time of a checkpoint, MTBF
   that of the nodes that have one, over the nodes of a job. */
static double young_s(const struct rule_run *rule_run) {
    const struct cluster *cluster = &rule_run->folder->cluster;
    double failures_per_s = 0, nodes = 0, checkpoint_s = 0;
    for (uint32_t n = 0; n < cluster->node_count; n++)
        if (isfinite(cluster->nodes[n].up.mean_s)) {
            failures_per_s += 1 / cluster->nodes[n].up.mean_s;
            nodes++;
        }
    for (uint32_t m = 0; m < rule_run->folder->models.count; m++)
        if (rule_run->folder->models.models[m].costs.checkpoint_s > checkpoint_s)
            checkpoint_s = rule_run->folder->models.models[m].costs.checkpoint_s;
    return nodes > 0 ? sqrt(2 * checkpoint_s * nodes / failures_per_s) : 0;
}

struct interrupted {
    double preemptions, resizes, failures;
    struct top_list jobs; /* by energy of their interruptions */
};

static void propose_for_preempt(const struct rule_run *rule_run, struct insight *insight) {
    double by_failures = rule_run->waste->of[WASTE_FAILED].energy_j;
    double period_s = young_s(rule_run);
    if (by_failures > rule_run->waste->of[WASTE_RECONFIGURED].energy_j) {
        insight->recommendation = "checkpoints every sqrt(2 x time of a checkpoint x MTBF)";
        if (period_s > 0 && rule_run->folder->models.count > 0)
            proposal_override(
                insight,
                arena_printf(insight->arena, "{set: {checkpoint_interval_s: %.17g}}", period_s));
        else
            proposal_none(insight, "the failures or the time of a checkpoint are not known");
    } else if (!propose_calm(insight)) {
        proposal_none(insight, "the policy has no parameter for it");
    }
}

static struct interrupted count_interrupted(const struct rule_run *rule_run) {
    const struct summary *summary = &rule_run->run->summary;
    struct interrupted all = {.preemptions = summary->preemptions,
                              .resizes = summary->resizes,
                              .failures = summary->job_failures};
    for (uint32_t j = 0; j < rule_run_jobs(rule_run); j++) {
        double overhead = overhead_j(rule_run, j);
        if (overhead > 0)
            top_list_add(&all.jobs, (struct top_entry){overhead, j, 0, 0});
    }
    return all;
}

void find_preempt(const struct rule_run *rule_run, const void *thresholds,
                  struct insights *insights) {
    const struct preempt_thresholds *t = thresholds;
    struct waste_amount sum = rule_run->waste->of[WASTE_RECONFIGURED];
    waste_amount_add(&sum, rule_run->waste->of[WASTE_FAILED]);
    if (!(sum.energy_j > t->least_share * rule_run->energy_j))
        return;
    struct interrupted all = count_interrupted(rule_run);
    struct insight *insight = insights_add(insights, rule_run->from_s, rule_run->to_s);
    insight_find(insight,
                 "%.0f preemptions, %.0f resizes and %.0f failures of jobs cost %.4g kWh and %.4g "
                 "GPU h: lost work, checkpoints and restarts",
                 all.preemptions, all.resizes, all.failures, sum.energy_j / J_PER_KWH,
                 sum.gpu_s / S_PER_H);
    SHOW(insight, preempt, .interruptions = all.preemptions + all.resizes + all.failures,
         .energy = sum.energy_j / J_PER_KWH, .gpu_hours = sum.gpu_s / S_PER_H,
         .share = sum.energy_j / rule_run->energy_j);
    if (all.jobs.count > 0)
        SHOW(insight, victim, .worst_victim = all.jobs.at[0].weight / J_PER_KWH);
    add_jobs(rule_run, &all.jobs, insight);
    insight->recommendation = "let jobs keep their GPUs for longer";
    propose_for_preempt(rule_run, insight);
    insight_weigh(insight, sum.energy_j, rule_run->energy_j);
}

/* ---- THRASH ---- */

static bool is_interruption(enum segment_cause cause) {
    return cause == CAUSE_PREEMPTED || cause == CAUSE_RESIZED;
}

/* Times at which the job was preempted or resized before it had computed for this time. */
static uint32_t count_short_runs(const struct rule_run *rule_run, uint32_t job, int64_t least_ns) {
    const struct recorded_job *recorded = &rule_run->run->jobs[job];
    const struct recorded_segment *segments = recorded_run_segments(rule_run->run, recorded);
    int64_t computed_ns = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < recorded->segment_count; i++) {
        const struct recorded_segment *s = &segments[i];
        bool computes = s->kind == SEGMENT_RUN || s->kind == SEGMENT_LOST;
        bool goes_on =
            i + 1 < recorded->segment_count && computes &&
            (segments[i + 1].kind == SEGMENT_LOST || segments[i + 1].kind == SEGMENT_RUN) &&
            segments[i + 1].began != CAUSE_RESIZED;
        computed_ns = computes ? computed_ns + s->end_ns - s->start_ns : 0;
        if (computes && !goes_on && is_interruption((enum segment_cause)s->ended))
            count += computed_ns < least_ns;
        computed_ns = goes_on ? computed_ns : 0;
    }
    return count;
}

struct thrashed {
    double jobs, short_runs, overhead_j, energy_j;
    struct top_list worst;
};

static struct thrashed find_thrashed(const struct rule_run *rule_run,
                                     const struct thrash_thresholds *t) {
    const struct workload *workload = &rule_run->run->workload;
    struct thrashed all = {0};
    for (uint32_t j = 0; j < rule_run_jobs(rule_run); j++) {
        double restart_s = workload_costs(workload, &workload->jobs.at[j])->restart_s;
        uint32_t runs = count_short_runs(rule_run, j, units_ns(fmin(t->restarts * restart_s, 1e9)));
        if (!recorded_run_measures(rule_run->run, j) ||
            (rule_run->run->jobs[j].preemptions < t->least_preemptions && runs == 0))
            continue;
        all.jobs++;
        all.short_runs += runs;
        all.overhead_j += overhead_j(rule_run, j);
        all.energy_j += job_energy_j(rule_run, j);
        top_list_add(&all.worst, (struct top_entry){overhead_j(rule_run, j), j, 0, 0});
    }
    return all;
}

void find_thrash(const struct rule_run *rule_run, const void *thresholds,
                 struct insights *insights) {
    struct thrashed all = find_thrashed(rule_run, thresholds);
    if (all.jobs <= 0)
        return;
    struct insight *insight = insights_add(insights, rule_run->from_s, rule_run->to_s);
    double overhead = all.energy_j > 0 ? all.overhead_j / all.energy_j : 0;
    insight_find(
        insight,
        "%.0f of %.0f jobs were interrupted again and again, %.0f times before they had computed "
        "for long: %.1f %% of their energy",
        all.jobs, rule_run->jobs, all.short_runs, 100 * overhead);
    SHOW(insight, thrash, .jobs = all.jobs, .short_runs = all.short_runs,
         .overhead_share = overhead, .overhead = all.overhead_j / J_PER_KWH);
    add_jobs(rule_run, &all.worst, insight);
    insight->recommendation = "hysteresis: a least time between interruptions of a job, a limit to "
                              "their number";
    if (!proposal_param(insight, "calm", "1") && !proposal_duration(insight, "round", 4, 120) &&
        !proposal_duration(insight, "resize_interval_s", 8, 300))
        proposal_none(insight, "the policy has no parameter for it");
    insight_weigh(insight, all.overhead_j, rule_run->energy_j);
}
