/* The figures of one replication (docs/outputs.md), one column each; NAN = not defined for this run
 * (an empty cell). */
#ifndef EASIM_METRICS_SUMMARY_H
#define EASIM_METRICS_SUMMARY_H

#include <stddef.h>

/* X(column): order is the order of summary.csv; new columns go to the end. */
/* clang-format off */
#define SUMMARY_COLUMNS(X) \
    X(sim_s) X(jobs_submitted) X(jobs_finished) X(jobs_rejected) X(jobs_unfinished) \
    X(throughput_jobs_per_h) X(work_submitted_gpu_h) X(work_done_gpu_h) X(jct_mean_s) \
    X(jct_p50_s) X(jct_p95_s) X(jct_p99_s) X(jct_restricted_mean_s) X(wait_mean_s) X(bsld_mean) \
    X(makespan_s) X(energy_kwh) X(energy_job_kwh) X(energy_idle_kwh) X(energy_setup_kwh) \
    X(energy_lost_kwh) X(energy_base_kwh) X(energy_per_job_kwh) X(energy_per_work_kwh) \
    X(edp_mean_js) X(edp_exec_mean_js) X(util_alloc) X(util_compute) X(frag_gpu_h) X(jain_gpu_s) \
    X(jain_slowdown) X(ftf_mean) X(ftf_max) X(deadline_jobs) X(deadline_missed) \
    X(deadline_miss_rate) X(interruptions_per_job) X(preemptions) X(resizes) X(lost_gpu_h) \
    X(power_mean_w) X(power_max_w) X(cap_violation_s) X(cap_violation_j) X(co2_kg) X(cost) \
    X(work_unfinished_gpu_h) X(lateness_p50_s) X(lateness_p95_s) X(prediction_error_mean_s) \
    X(setup_gpu_h) X(water_l) X(events) X(decisions) X(refused_actions) X(extrapolated_starts) \
    X(node_failures) X(job_failures) X(sleep_gpu_h) X(limited_gpu_h) X(energy_finished_kwh) \
    X(bsld_dedicated_mean)
/* clang-format on */

#define SUMMARY_MEMBER(column) double column;
struct summary {
    SUMMARY_COLUMNS(SUMMARY_MEMBER)
};

#define SUMMARY_COUNT (sizeof(struct summary) / sizeof(double))
/* The column of a member. */
#define SUMMARY_COLUMN(member) ((unsigned)(offsetof(struct summary, member) / sizeof(double)))

/* Column names, in the order of the members; all members are double, so a summary is also an array
 * of them. */
extern const char *const summary_names[SUMMARY_COUNT];
double summary_value(const struct summary *summary, unsigned column);
/* The column of that name, or -1. */
int summary_find(const char *name);

#endif
