/* The table of quantities and units; each column of the summary has its row. */
#include "output/metric_text.h"

#include "metrics/summary.h"

#include <string.h>

#define COLUMN(name) [SUMMARY_COLUMN(name)]
#define SHARE        "share" /* written in per cent */

static const struct metric_text texts[SUMMARY_COUNT] = {
    COLUMN(sim_s) = {"measured time", "s"},
    COLUMN(jobs_submitted) = {"jobs submitted", ""},
    COLUMN(jobs_finished) = {"jobs finished", ""},
    COLUMN(jobs_rejected) = {"jobs rejected", ""},
    COLUMN(jobs_unfinished) = {"jobs unfinished", ""},
    COLUMN(throughput_jobs_per_h) = {"throughput", "jobs per h"},
    COLUMN(work_submitted_gpu_h) = {"work submitted", "GPU h"},
    COLUMN(work_done_gpu_h) = {"work done", "GPU h"},
    COLUMN(jct_mean_s) = {"mean JCT of finished jobs", "s"},
    COLUMN(jct_p50_s) = {"median JCT", "s"},
    COLUMN(jct_p95_s) = {"95th percentile of JCT", "s"},
    COLUMN(jct_p99_s) = {"99th percentile of JCT", "s"},
    COLUMN(jct_restricted_mean_s) = {"restricted mean JCT", "s"},
    COLUMN(wait_mean_s) = {"mean wait", "s"},
    COLUMN(bsld_mean) = {"mean bounded slowdown", ""},
    COLUMN(bsld_dedicated_mean) = {"mean bounded slowdown against an empty cluster", ""},
    COLUMN(makespan_s) = {"makespan", "s"},
    COLUMN(energy_kwh) = {"energy", "kWh"},
    COLUMN(energy_job_kwh) = {"energy of GPUs with jobs", "kWh"},
    COLUMN(energy_idle_kwh) = {"energy of idle GPUs", "kWh"},
    COLUMN(energy_setup_kwh) = {"energy of set-ups", "kWh"},
    COLUMN(energy_lost_kwh) = {"energy of lost work", "kWh"},
    COLUMN(energy_base_kwh) = {"energy of nodes without GPUs", "kWh"},
    COLUMN(energy_finished_kwh) = {"energy of finished jobs", "kWh"},
    COLUMN(energy_per_job_kwh) = {"energy per finished job", "kWh"},
    COLUMN(energy_per_work_kwh) = {"energy per work", "kWh per GPU h"},
    COLUMN(edp_mean_js) = {"mean energy-delay product", "J s"},
    COLUMN(edp_exec_mean_js) = {"mean energy x execution time", "J s"},
    COLUMN(util_alloc) = {"GPUs allocated", SHARE},
    COLUMN(util_compute) = {"GPUs computing", SHARE},
    COLUMN(frag_gpu_h) = {"free while jobs wait", "GPU h"},
    COLUMN(jain_gpu_s) = {"Jain index of GPU time", ""},
    COLUMN(jain_slowdown) = {"Jain index of slowdown", ""},
    COLUMN(ftf_mean) = {"mean finish-time fairness", ""},
    COLUMN(ftf_max) = {"largest finish-time fairness", ""},
    COLUMN(deadline_jobs) = {"jobs with deadlines", ""},
    COLUMN(deadline_missed) = {"deadlines missed", ""},
    COLUMN(deadline_miss_rate) = {"deadlines missed", SHARE},
    COLUMN(interruptions_per_job) = {"interruptions per job", ""},
    COLUMN(preemptions) = {"preemptions", ""},
    COLUMN(resizes) = {"resizes", ""},
    COLUMN(lost_gpu_h) = {"lost work", "GPU h"},
    COLUMN(power_mean_w) = {"mean power", "W"},
    COLUMN(power_max_w) = {"highest power", "W"},
    COLUMN(cap_violation_s) = {"time above the power cap", "s"},
    COLUMN(cap_violation_j) = {"energy above the power cap", "J"},
    COLUMN(co2_kg) = {"CO2", "kg"},
    COLUMN(cost) = {"cost", "currency of the prices"},
    COLUMN(work_unfinished_gpu_h) = {"work unfinished", "GPU h"},
    COLUMN(lateness_p50_s) = {"median lateness", "s"},
    COLUMN(lateness_p95_s) = {"95th percentile of lateness", "s"},
    COLUMN(prediction_error_mean_s) = {"mean error of predicted finish", "s"},
    COLUMN(setup_gpu_h) = {"set-ups and checkpoints", "GPU h"},
    COLUMN(water_l) = {"water", "l"},
    COLUMN(events) = {"events", ""},
    COLUMN(decisions) = {"decisions", ""},
    COLUMN(refused_actions) = {"refused actions", ""},
    COLUMN(extrapolated_starts) = {"starts outside measured ranges", ""},
    COLUMN(node_failures) = {"node failures", ""},
    COLUMN(job_failures) = {"jobs stopped by failures", ""},
    COLUMN(sleep_gpu_h) = {"GPUs asleep", "GPU h"},
    COLUMN(limited_gpu_h) = {"computing under a power limit", "GPU h"},
};

struct metric_text metric_text(unsigned column) {
    return texts[column];
}

struct metric_scale metric_scale(unsigned column, double most) {
    const char *unit = texts[column].unit;
    if (strcmp(unit, SHARE) == 0)
        return (struct metric_scale){"%", 100};
    if (strcmp(unit, "s") == 0 && most >= 7200)
        return (struct metric_scale){"h", 1.0 / 3600};
    if (strcmp(unit, "W") == 0 && most >= 2000)
        return (struct metric_scale){"kW", 1e-3};
    if (strcmp(unit, "J") == 0 && most >= 1e6)
        return (struct metric_scale){"kWh", 1 / 3.6e6};
    return (struct metric_scale){unit, 1};
}
