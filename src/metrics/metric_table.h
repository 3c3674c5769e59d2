/* The one table of metrics: what there is to know of each column of summary.csv, besides its
   definition (docs/reference/outputs.md, which tools/check_tables.py holds against this table). */
#ifndef EASIM_METRICS_METRIC_TABLE_H
#define EASIM_METRICS_METRIC_TABLE_H

enum metric_type { METRIC_REAL, METRIC_INT }; /* of the value of a run; means are real */

/* What a reader wants of a figure: NEITHER describes a run and does not judge it. */
enum metric_better { METRIC_NEITHER, METRIC_LESS, METRIC_MORE };

/* HEAVY: of a heavy-tailed distribution, as times of jobs and products with them are. A few
   replications with huge values would decide the arithmetic mean of all, so `easim compare` shows
   relative changes of such a metric as ratios of geometric means. LIGHT: all others. */
enum metric_tail { METRIC_LIGHT, METRIC_HEAVY };

#define METRIC_SHARE    "share" /* 0..1, shown in per cent */
#define METRIC_CURRENCY "currency of the prices"

struct metric {
    const char *name;
    enum metric_type type;
    const char *unit; /* of the value in summary.csv; "" for a number as such */
    enum metric_better better;
    enum metric_tail tail;
    const char *writer; /* the file that computes it */
    const char *label;  /* what an axis and the table on the terminal say */
    unsigned group;     /* enum metric_group; 0: every run has it */
};

/* X(name, type, unit, better, tail, writer, label). Order is that of summary.csv; new ones go to
   the end. Runs with something that others lack have more metrics: those stand behind, in tables of
   their own (enum metric_group). */
/* clang-format off */
#define METRIC_TABLE(X) \
    X(sim_s, REAL, "s", NEITHER, LIGHT, metrics, "measured time") \
    X(jobs_submitted, INT, "", NEITHER, LIGHT, job_stats, "jobs submitted") \
    X(jobs_finished, INT, "", MORE, LIGHT, job_stats, "jobs finished") \
    X(jobs_rejected, INT, "", LESS, LIGHT, job_stats, "jobs rejected") \
    X(jobs_unfinished, INT, "", LESS, LIGHT, job_stats, "jobs unfinished") \
    X(throughput_jobs_per_h, REAL, "jobs/h", MORE, LIGHT, metrics, "throughput") \
    X(work_submitted_gpu_h, REAL, "GPU h", NEITHER, LIGHT, job_stats, "work submitted") \
    X(work_done_gpu_h, REAL, "GPU h", MORE, LIGHT, metrics, "work done") \
    X(jct_mean_s, REAL, "s", LESS, HEAVY, job_stats, "completion time, mean") \
    X(jct_p50_s, REAL, "s", LESS, HEAVY, job_stats, "completion time, median") \
    X(jct_p95_s, REAL, "s", LESS, HEAVY, job_stats, "completion time, 95 %") \
    X(jct_p99_s, REAL, "s", LESS, HEAVY, job_stats, "completion time, 99 %") \
    X(jct_restricted_mean_s, REAL, "s", LESS, HEAVY, job_stats, "completion time, restricted mean") \
    X(wait_mean_s, REAL, "s", LESS, HEAVY, job_stats, "wait, mean") \
    X(bsld_mean, REAL, "", LESS, HEAVY, job_stats, "bounded slowdown, mean") \
    X(makespan_s, REAL, "s", LESS, LIGHT, job_stats, "makespan") \
    X(energy_kwh, REAL, "kWh", LESS, LIGHT, metrics, "energy") \
    X(energy_job_kwh, REAL, "kWh", LESS, LIGHT, metrics, "energy of GPUs with jobs") \
    X(energy_idle_kwh, REAL, "kWh", LESS, LIGHT, metrics, "energy of idle GPUs") \
    X(energy_setup_kwh, REAL, "kWh", LESS, LIGHT, metrics, "energy of set-ups") \
    X(energy_lost_kwh, REAL, "kWh", LESS, LIGHT, metrics, "energy of lost work") \
    X(energy_base_kwh, REAL, "kWh", LESS, LIGHT, metrics, "energy of nodes without GPUs") \
    X(energy_per_job_kwh, REAL, "kWh", LESS, LIGHT, metrics, "energy per finished job") \
    X(energy_per_work_kwh, REAL, "kWh/GPU h", LESS, LIGHT, metrics, "energy per work") \
    X(edp_mean_js, REAL, "J s", LESS, HEAVY, job_stats, "energy-delay product, mean") \
    X(edp_exec_mean_js, REAL, "J s", LESS, HEAVY, job_stats, "energy x execution time, mean") \
    X(util_alloc, REAL, METRIC_SHARE, MORE, LIGHT, metrics, "GPUs allocated") \
    X(util_compute, REAL, METRIC_SHARE, MORE, LIGHT, metrics, "GPUs computing") \
    X(frag_gpu_h, REAL, "GPU h", LESS, LIGHT, metrics, "free while jobs wait") \
    X(jain_gpu_s, REAL, "", MORE, LIGHT, job_stats, "Jain index, GPU time") \
    X(jain_slowdown, REAL, "", MORE, LIGHT, job_stats, "Jain index, slowdown") \
    X(ftf_mean, REAL, "", LESS, HEAVY, job_stats, "finish-time fairness, mean") \
    X(ftf_max, REAL, "", LESS, HEAVY, job_stats, "finish-time fairness, largest") \
    X(deadline_jobs, INT, "", NEITHER, LIGHT, job_stats, "jobs with deadlines") \
    X(deadline_missed, INT, "", LESS, LIGHT, job_stats, "deadlines missed") \
    X(deadline_miss_rate, REAL, METRIC_SHARE, LESS, LIGHT, job_stats, "deadlines missed") \
    X(interruptions_per_job, REAL, "", LESS, LIGHT, metrics, "interruptions per job") \
    X(preemptions, INT, "", LESS, LIGHT, metrics, "preemptions") \
    X(resizes, INT, "", NEITHER, LIGHT, metrics, "resizes") \
    X(lost_gpu_h, REAL, "GPU h", LESS, LIGHT, metrics, "lost work") \
    X(power_mean_w, REAL, "W", LESS, LIGHT, metrics, "power, mean") \
    X(power_max_w, REAL, "W", LESS, LIGHT, metrics, "power, highest") \
    X(cap_violation_s, REAL, "s", LESS, LIGHT, metrics, "over the power cap") \
    X(cap_violation_j, REAL, "J", LESS, LIGHT, metrics, "energy over the power cap") \
    X(co2_kg, REAL, "kg", LESS, LIGHT, metrics, "CO2") \
    X(cost, REAL, METRIC_CURRENCY, LESS, LIGHT, metrics, "cost") \
    X(work_unfinished_gpu_h, REAL, "GPU h", LESS, LIGHT, metrics, "work unfinished") \
    X(lateness_p50_s, REAL, "s", LESS, HEAVY, job_stats, "lateness, median") \
    X(lateness_p95_s, REAL, "s", LESS, HEAVY, job_stats, "lateness, 95 %") \
    X(prediction_error_mean_s, REAL, "s", LESS, HEAVY, job_stats, "error of predicted finish, mean") \
    X(setup_gpu_h, REAL, "GPU h", LESS, LIGHT, metrics, "set-ups and checkpoints") \
    X(water_l, REAL, "l", LESS, LIGHT, metrics, "water") \
    X(events, INT, "", NEITHER, LIGHT, metrics, "events") \
    X(decisions, INT, "", NEITHER, LIGHT, metrics, "decisions") \
    X(refused_actions, INT, "", NEITHER, LIGHT, metrics, "refused actions") \
    X(extrapolated_starts, INT, "", NEITHER, LIGHT, metrics, "starts outside measured ranges") \
    X(node_failures, INT, "", NEITHER, LIGHT, metrics, "node failures") \
    X(job_failures, INT, "", LESS, LIGHT, metrics, "jobs stopped by failures") \
    X(sleep_gpu_h, REAL, "GPU h", NEITHER, LIGHT, metrics, "GPUs asleep") \
    X(limited_gpu_h, REAL, "GPU h", NEITHER, LIGHT, metrics, "computing under a power limit") \
    X(energy_finished_kwh, REAL, "kWh", LESS, LIGHT, job_stats, "energy of finished jobs") \
    X(bsld_dedicated_mean, REAL, "", LESS, HEAVY, job_stats, "bounded slowdown against an empty cluster, mean")

/* Of runs with services; tokens stand for outputs, too. */
#define SERVICE_METRIC_TABLE(X) \
    X(energy_service_kwh, REAL, "kWh", LESS, LIGHT, metrics, "energy of replicas") \
    X(energy_all_per_work_kwh, REAL, "kWh/GPU h", LESS, LIGHT, metrics, "energy per work, with replicas") \
    X(tokens_before, REAL, "tokens", NEITHER, LIGHT, service_stats, "tokens waiting at the start") \
    X(tokens_demanded, REAL, "tokens", NEITHER, LIGHT, service_stats, "tokens demanded") \
    X(tokens_served, REAL, "tokens", MORE, LIGHT, service_stats, "tokens served") \
    X(tokens_dropped, REAL, "tokens", LESS, LIGHT, service_stats, "tokens dropped") \
    X(tokens_left, REAL, "tokens", LESS, LIGHT, service_stats, "tokens waiting at the end") \
    X(slo_share, REAL, METRIC_SHARE, MORE, LIGHT, service_stats, "tokens within the SLO") \
    X(j_per_token, REAL, "J", LESS, LIGHT, service_stats, "energy per token") \
    X(token_wait_p50_s, REAL, "s", LESS, HEAVY, service_stats, "wait of a token, median") \
    X(token_wait_p99_s, REAL, "s", LESS, HEAVY, service_stats, "wait of a token, 99 %") \
    X(token_latency_p99_ms, REAL, "ms", LESS, LIGHT, service_stats, "latency of a token, 99 %") \
    X(replica_gpu_h, REAL, "GPU h", LESS, LIGHT, service_stats, "GPUs of replicas") \
    X(scale_ups, INT, "", NEITHER, LIGHT, service_stats, "replicas started") \
    X(service_preemptions, INT, "", LESS, LIGHT, service_stats, "jobs displaced by replicas")

/* Of runs with a network that draws power. */
#define NETWORK_METRIC_TABLE(X) \
    X(energy_network_kwh, REAL, "kWh", LESS, LIGHT, metrics, "energy of switches and optics")

/* Of runs with an enforced power cap. */
#define LIMIT_METRIC_TABLE(X) \
    X(throttled_gpu_h, REAL, "GPU h", LESS, LIGHT, metrics, "computing below its wish") \
    X(flex_broken, INT, "", LESS, LIGHT, job_stats, "jobs slowed by more than their flex") \
    X(capped_starts, INT, "", LESS, LIGHT, metrics, "starts refused by the power cap")
/* clang-format on */

/* Further metrics, a bit each; of a run that has what they are of. */
enum metric_group {
    METRICS_OF_SERVICES = 1 << 0,
    METRICS_OF_NETWORK = 1 << 1,
    METRICS_OF_LIMITS = 1 << 2
};

extern const struct metric metric_table[]; /* SUMMARY_ALL of them, by column of the summary */
/* Of any column: a figure of a single service is the metric that all together have. */
const struct metric *metric_of(unsigned column);

#endif
