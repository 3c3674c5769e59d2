/* Causes of missed deadlines: see miss_cause.h. */
#include "insight/blame/miss_cause.h"

#include "base/units.h"
#include "metrics/job_record.h"

#include <math.h>

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

/* What each cause cost the job, in the order in which they are asked. */
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
