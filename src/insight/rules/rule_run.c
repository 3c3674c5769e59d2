/* What rules share: see rule_run.h. */
#include "insight/rules/rule_run.h"

#include "base/units.h"
#include "cluster/power_meter.h"

bool rule_run_counts(const struct rule_run *rule_run, uint32_t job) {
    return recorded_run_measures(rule_run->run, job);
}

void rule_run_init(struct rule_run *rule_run, const struct recorded_run *run,
                   const struct waste *waste) {
    *rule_run = (struct rule_run){.folder = run->folder,
                                  .run = run,
                                  .waste = waste,
                                  .policy = run->folder->policies.at[run->part->policy].name,
                                  .from_ns = run->workload.warmup_ns,
                                  .to_ns = run->part->end_ns};
    rule_run->from_s = units_s(rule_run->from_ns);
    rule_run->to_s = units_s(rule_run->to_ns);
    rule_run->energy_j = run->summary.energy_kwh * J_PER_KWH;
    rule_run->gpu_s = run->summary.sim_s * run->folder->cluster.gpus;
    rule_run->jobs = run->summary.jobs_submitted;
    policy_facts_load(&rule_run->facts, run->folder, run->part);
    blame_find(&rule_run->blame, run);
    power_steps_make(&rule_run->power, run);
}

void rule_run_finish(struct rule_run *rule_run) {
    blame_finish(&rule_run->blame);
    policy_facts_finish(&rule_run->facts);
    power_steps_finish(&rule_run->power);
    *rule_run = (struct rule_run){0};
}

double rule_run_wait_s(const struct rule_run *rule_run, uint32_t job) {
    int64_t start_ns = rule_run->run->jobs[job].start_ns;
    int64_t until_ns = start_ns < 0 ? rule_run->to_ns : start_ns;
    return units_s(until_ns - rule_run->run->workload.jobs.at[job].submit_ns);
}

double rule_run_power_w(const struct recorded_segment *segment) {
    int64_t ns = segment->end_ns - segment->start_ns;
    return ns > 0 ? power_j(segment->energy) / units_s(ns) : 0;
}

double rule_run_overlap_s(const struct rule_run *rule_run, int64_t start_ns, int64_t end_ns) {
    int64_t from = start_ns > rule_run->from_ns ? start_ns : rule_run->from_ns;
    int64_t to = end_ns < rule_run->to_ns ? end_ns : rule_run->to_ns;
    return to > from ? units_s(to - from) : 0;
}

double rule_run_energy_j(const struct rule_run *rule_run, const struct recorded_segment *segment) {
    return rule_run_power_w(segment) *
           rule_run_overlap_s(rule_run, segment->start_ns, segment->end_ns);
}

double rule_run_gpu_s(const struct rule_run *rule_run, const struct recorded_segment *segment) {
    return (double)recorded_run_milli(rule_run->run, segment) / WHOLE_GPU_MILLI *
           rule_run_overlap_s(rule_run, segment->start_ns, segment->end_ns);
}
