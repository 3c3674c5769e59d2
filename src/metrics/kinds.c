/* The table of metric kinds; a column that is not in it is METRIC_NEITHER. */
#include "metrics/kinds.h"

#include "metrics/summary.h"

#include <stddef.h>

#define COLUMN(name) [SUMMARY_COLUMN(name)]
#define LESS(name)   COLUMN(name) = {METRIC_LESS, false}
#define MORE(name)   COLUMN(name) = {METRIC_MORE, false}
#define HEAVY(name) \
    COLUMN(name) = {METRIC_LESS, true} /* times of jobs, and what is multiplied by them */

static const struct metric_kind kinds[SUMMARY_COUNT] = {
    LESS(jobs_rejected),
    LESS(jobs_unfinished),
    MORE(jobs_finished),
    MORE(work_done_gpu_h),
    MORE(throughput_jobs_per_h),
    LESS(work_unfinished_gpu_h),
    HEAVY(jct_mean_s),
    HEAVY(jct_p50_s),
    HEAVY(jct_p95_s),
    HEAVY(jct_p99_s),
    HEAVY(jct_restricted_mean_s),
    HEAVY(wait_mean_s),
    HEAVY(bsld_mean),
    LESS(makespan_s),
    LESS(energy_kwh),
    LESS(energy_job_kwh),
    LESS(energy_idle_kwh),
    LESS(energy_setup_kwh),
    LESS(energy_lost_kwh),
    LESS(energy_base_kwh),
    LESS(energy_per_job_kwh),
    LESS(energy_per_work_kwh),
    HEAVY(edp_mean_js),
    HEAVY(edp_exec_mean_js),
    MORE(util_alloc),
    MORE(util_compute),
    LESS(frag_gpu_h),
    MORE(jain_gpu_s),
    MORE(jain_slowdown),
    HEAVY(ftf_mean),
    HEAVY(ftf_max),
    LESS(deadline_missed),
    LESS(deadline_miss_rate),
    LESS(interruptions_per_job),
    LESS(preemptions),
    LESS(lost_gpu_h),
    LESS(power_mean_w),
    LESS(power_max_w),
    LESS(cap_violation_s),
    LESS(cap_violation_j),
    LESS(co2_kg),
    LESS(cost),
    HEAVY(lateness_p50_s),
    HEAVY(lateness_p95_s),
    HEAVY(prediction_error_mean_s),
    LESS(setup_gpu_h),
    LESS(job_failures),
    LESS(water_l),
    LESS(energy_finished_kwh),
    HEAVY(bsld_dedicated_mean),
};

struct metric_kind metric_kind(unsigned column) {
    return kinds[column];
}
