/* Tables of a run: see run_tables.h. */
#include "output/run/run_tables.h"

#include "engine/services.h"
#include "experiment/statistics.h"
#include "io/csv.h"
#include "metrics/job_record.h"
#include "output/columns.h"
#include "output/json.h"

#include <math.h>

/* --- rows_csv --- */

const struct observer *rows_csv_watch(struct rows_csv *csv, const struct observer *rows,
                                      const struct study *study, uint32_t number) {
    csv->begin.length = 0;
    run_columns_begin(study->policy, number, &csv->begin);
    csv->observer = *rows;
    csv->observer.context = csv;
    return &csv->observer;
}

/* --- jobs_csv: jobs.csv, a row a job --- */

/* clang-format off */
#define JOBS_COLUMNS(X) \
    X(job_id, text, "", NEITHER, spec->id) \
    X(user, text, "", NEITHER, w->users.at[spec->user].name) \
    X(model, text, "", NEITHER, workload_model_name(w, spec)) \
    X(class, word, "", NEITHER, spec->sla ? "sla" : "best_effort") \
    X(submit_s, seconds, "s", NEITHER, spec->submit_ns) \
    X(start_s, seconds, "s", LESS, job.start_ns) \
    X(finish_s, seconds, "s", LESS, job.finish_ns) \
    X(status, word, "", NEITHER, job_record_status_name(job.state)) \
    X(gpu_type, text, "", NEITHER, c ? cluster->gpu_types[c->gpu_type].name : NULL) \
    X(k, count, "GPUs", NEITHER, c ? c->k : 0) \
    X(b, positive, "samples", NEITHER, c ? c->batch : 0) \
    X(nodes, count, "", NEITHER, c ? job.nodes : 0) \
    X(wait_s, seconds, "s", LESS, job.wait_ns) \
    X(exec_s, seconds, "s", NEITHER, job.exec_ns) \
    X(jct_s, seconds, "s", LESS, job.jct_ns) \
    X(energy_j, real, "J", LESS, job.energy_j) \
    X(edp_js, real, "J s", LESS, job_record_edp_js(&job)) \
    X(gpu_s, gpu_ps, "GPU s", NEITHER, job.gpu_ps) \
    X(deadline_s, deadline, "s", NEITHER, spec->deadline_ns) \
    X(missed, natural, "", LESS, missed_of(&job)) \
    X(preemptions, int, "", LESS, job.preemptions) \
    X(resizes, int, "", NEITHER, job.resizes) \
    X(lost_s, seconds, "s", LESS, job.lost_ns)
/* After the labels, if jobs share GPUs. */
#define JOBS_COLUMNS_SHARE(X) \
    X(gpu_share, real, "GPUs", NEITHER, c ? easim_config_gpus(c) / c->k : NAN)
/* And where jobs are trained under plans. */
#define JOBS_COLUMNS_PLAN(X) \
    X(plan, own_text, "", NEITHER, add_plan(w, spec, c, out))
/* And where the network has several tiers. */
#define JOBS_COLUMNS_SPAN(X) \
    X(span, text, "", NEITHER, c ? network_span_name(network, job.span) : NULL)
/* And where they share uplinks, or storage. */
#define JOBS_COLUMNS_NETWORK(X) \
    X(network_slowed_s, real, "s", LESS, job.network_slowed_s)
#define JOBS_COLUMNS_STORAGE(X) \
    X(storage_slowed_s, real, "s", LESS, job.storage_slowed_s)
/* And where a power cap is enforced. */
#define JOBS_COLUMNS_LIMITS(X) \
    X(throttled_s, seconds, "s", LESS, job.throttled_ns) \
    X(limit_lost_s, real, "s", LESS, job.limit_lost_s) \
    X(flex_broken_s, seconds, "s", LESS, job.broken_ns)
/* clang-format on */

/* The plan of a transformer's job; none of other jobs. */
static void add_plan(const struct workload *workload, const struct job_spec *spec,
                     const struct easim_config *config, struct str *out) {
    const struct plan *plan =
        config && spec->kind != JOB_KIND_RIGID
            ? config_table_plan(&workload->table, spec->model, config->gpu_type, config->k)
            : NULL;
    char text[PLAN_TEXT_BYTES];
    if (plan)
        plan_text(text, plan);
    csv_comma_text(out, plan ? text : NULL);
}

static int missed_of(const struct job_record *job) {
    return job->deadline == DEADLINE_MISSED ? 1 : job->deadline == DEADLINE_KEPT ? 0 : -1;
}

void jobs_csv_header(const struct workload *workload, struct str *out) {
    const struct cluster *cluster = workload->table.cluster;
    str_add(out, RUN_HEADER(JOBS_COLUMNS));
    run_columns_label_names(workload, out);
    str_add(out, workload->table.has_shares ? JOBS_COLUMNS_SHARE(COLUMN_NAME) : "");
    str_add(out, workload->table.has_plans ? JOBS_COLUMNS_PLAN(COLUMN_NAME) : "");
    str_add(out, cluster->network.tier_count > 1 ? JOBS_COLUMNS_SPAN(COLUMN_NAME) : "");
    str_add(out, cluster->network.contention ? JOBS_COLUMNS_NETWORK(COLUMN_NAME) : "");
    str_add(out, cluster->storage_bytes_s > 0 ? JOBS_COLUMNS_STORAGE(COLUMN_NAME) : "");
    str_add(out, cluster->cap_rules.enforce != ENFORCE_NONE ? JOBS_COLUMNS_LIMITS(COLUMN_NAME) "\n"
                                                            : "\n");
}

/* begin: the cells of policy and replication. */
static void add_job_row(const struct sim *sim, uint32_t index, const struct str *begin,
                        struct str *out) {
    const struct cluster *cluster = sim->cluster;
    const struct network *network = &cluster->network;
    const struct workload *w = sim->workload;
    const struct job_record job = job_record_of(sim, index);
    const struct job_spec *spec = job.spec;
    const struct easim_config *c = job.config;
    str_add_bytes(out, begin->text, begin->length);
    JOBS_COLUMNS(COLUMN_CELL)
    for (size_t i = 0; i < w->label_names.count; i++)
        csv_comma_text(out, spec->labels ? spec->labels[i] : NULL);
    if (w->table.has_shares)
        JOBS_COLUMNS_SHARE(COLUMN_CELL)
    if (w->table.has_plans)
        JOBS_COLUMNS_PLAN(COLUMN_CELL)
    if (network->tier_count > 1)
        JOBS_COLUMNS_SPAN(COLUMN_CELL)
    if (cluster->network.contention)
        JOBS_COLUMNS_NETWORK(COLUMN_CELL)
    if (cluster->storage_bytes_s > 0)
        JOBS_COLUMNS_STORAGE(COLUMN_CELL)
    if (cluster->cap_rules.enforce != ENFORCE_NONE) {
        JOBS_COLUMNS_LIMITS(COLUMN_CELL)
    }
    str_add_char(out, '\n');
}

void jobs_csv_rows(const struct replication *replication, struct pieces *pieces) {
    struct str begin = {0};
    run_columns_begin_row(replication, &begin);
    for (uint32_t j = replication->sim->dropped; j < replication->sim->next_arrival; j++)
        add_job_row(replication->sim, j, &begin, pieces_row(pieces));
    str_finish(&begin);
}

static void add_past_jobs(void *context, const struct sim *sim, uint32_t end) {
    const struct rows_csv *csv = context;
    if (sim->dropped == 0)
        jobs_csv_header(sim->workload, &csv->pieces->text);
    for (uint32_t j = sim->dropped; j < end; j++)
        add_job_row(sim, j, &csv->begin, pieces_row(csv->pieces));
}

const struct observer jobs_csv_past_rows = {.past = add_past_jobs};

/* --- users_csv --- */

/* clang-format off */
#define USERS_COLUMNS(X) \
    X(user, text, "", NEITHER, user->name) \
    X(weight, real, "", NEITHER, user->weight) \
    X(jobs, int, "", NEITHER, row->jobs) \
    X(gpu_s, real, "GPU s", NEITHER, row->gpu_s) \
    X(demand_gpu_s, real, "GPU s", NEITHER, row->demand_gpu_s) \
    X(energy_kwh, real, "kWh", LESS, row->energy_kwh) \
    X(jct_mean_s, real, "s", LESS, row->jct_mean_s) \
    X(slowdown_mean, real, "", LESS, row->slowdown_mean)
/* clang-format on */

const char users_csv_header[] = RUN_HEADER(USERS_COLUMNS) "\n";

void users_csv_rows(const struct replication *replication, struct pieces *pieces) {
    for (size_t u = 0; u < replication->sim->workload->users.count; u++) {
        const struct workload_user *user = &replication->sim->workload->users.at[u];
        const struct user_row *row = &replication->metrics->users[u];
        struct str *out = pieces_row(pieces);
        RUN_ROW(run_columns_begin_row(replication, out), USERS_COLUMNS);
    }
}

/* --- types_csv --- */

/* clang-format off */
#define TYPES_COLUMNS(X) \
    X(gpu_type, text, "", NEITHER, type->name) \
    X(gpus, int, "GPUs", NEITHER, type->gpus) \
    X(alloc_gpu_h, real, "GPU h", NEITHER, row->alloc_gpu_h) \
    X(compute_gpu_h, real, "GPU h", NEITHER, row->compute_gpu_h) \
    X(energy_kwh, real, "kWh", LESS, row->energy_kwh) \
    X(jobs, int, "", NEITHER, row->jobs)
/* clang-format on */

const char types_csv_header[] = RUN_HEADER(TYPES_COLUMNS) "\n";

void types_csv_rows(const struct replication *replication, struct pieces *pieces) {
    const struct cluster *cluster = replication->sim->cluster;
    for (uint32_t h = 0; h < cluster->gpu_type_count; h++) {
        const struct gpu_type *type = &cluster->gpu_types[h];
        const struct type_row *row = &replication->metrics->types[h];
        struct str *out = pieces_row(pieces);
        RUN_ROW(run_columns_begin_row(replication, out), TYPES_COLUMNS);
    }
}

/* --- domains_csv --- */

/* clang-format off */
#define DOMAINS_COLUMNS(X) \
    X(domain, text, "", NEITHER, domain->name) \
    X(cap_w, real, "W", NEITHER, domain->cap_w) \
    X(power_mean_w, real, "W", LESS, power_j(of->energy) / sim_s) \
    X(power_max_w, watts, "W", LESS, of->max_nw) \
    X(cap_violation_s, seconds, "s", LESS, of->over.ns) \
    X(cap_violation_j, real, "J", LESS, power_j(of->over.energy)) \
    X(throttled_gpu_h, real, "GPU h", LESS, power_gpu_s(of->throttled_gpu_ps) / S_PER_H)
/* clang-format on */

const char domains_csv_header[] = RUN_HEADER(DOMAINS_COLUMNS) "\n";

void domains_csv_rows(const struct replication *replication, struct pieces *pieces) {
    const struct cluster *cluster = replication->sim->cluster;
    const struct domain_stats *stats = &replication->metrics->domains;
    double sim_s = replication->metrics->summary.sim_s;
    for (uint32_t d = 0; stats->of && d < cluster->power_domain_count; d++) {
        const struct power_domain *domain = &cluster->power_domains[d];
        const struct domain_stat *of = &stats->of[d];
        struct str *out = pieces_row(pieces);
        RUN_ROW(run_columns_begin_row(replication, out), DOMAINS_COLUMNS);
    }
}

/* --- services_csv --- */

/* clang-format off */
#define SERVICES_COLUMNS(X) \
    X(service, text, "", NEITHER, spec->name) \
    X(user, text, "", NEITHER, spec->user) \
    X(model, text, "", NEITHER, spec->model_name) \
    X(tokens_before, real, "tokens", NEITHER, row->tokens_before) \
    X(tokens_demanded, real, "tokens", NEITHER, row->tokens_demanded) \
    X(tokens_served, real, "tokens", MORE, row->tokens_served) \
    X(tokens_dropped, real, "tokens", LESS, row->tokens_dropped) \
    X(tokens_left, real, "tokens", LESS, row->tokens_left) \
    X(slo_share, real, "share", MORE, row->slo_share) \
    X(energy_kwh, real, "kWh", LESS, row->energy_service_kwh) \
    X(j_per_token, real, "J", LESS, row->j_per_token) \
    X(wait_p50_s, real, "s", LESS, row->token_wait_p50_s) \
    X(wait_p99_s, real, "s", LESS, row->token_wait_p99_s) \
    X(latency_p99_ms, real, "ms", LESS, row->token_latency_p99_ms) \
    X(replica_gpu_h, real, "GPU h", LESS, row->replica_gpu_h) \
    X(replicas_end, int, "", NEITHER, run->ready + run->loading) \
    X(scale_ups, int, "", NEITHER, (int64_t)row->scale_ups) \
    X(preemptions, int, "", LESS, (int64_t)row->service_preemptions)
/* clang-format on */

const char services_csv_header[] = RUN_HEADER(SERVICES_COLUMNS) "\n";

void services_csv_rows(const struct replication *replication, struct pieces *pieces) {
    const struct sim *sim = replication->sim;
    for (uint32_t s = 0; s < sim->services.count; s++) {
        const struct service *spec = services_spec(sim, s);
        const struct service_run *run = &sim->services.runs[s];
        const struct service_row *row = &replication->metrics->summary.services[s];
        struct str *out = pieces_row(pieces);
        RUN_ROW(run_columns_begin_row(replication, out), SERVICES_COLUMNS);
    }
}

/* --- summary_csv --- */

/* clang-format off */
/* After the policy, or what a command varies; before the metrics. */
#define RUNS_COLUMNS(X) \
    X(replication, int, "", NEITHER, replication) \
    X(seed, int, "", NEITHER, seed)
/* clang-format on */

void summary_csv_header(unsigned groups, struct str *out) {
    str_add(out, "policy" RUNS_COLUMNS(COLUMN_NAME));
    for (unsigned c = 0; c < SUMMARY_ALL; c++)
        if (summary_shows(groups, c))
            csv_comma_text(out, summary_names[c]);
    str_add_char(out, '\n');
}

void summary_csv_row(const char *policy, uint32_t replication, int64_t seed, unsigned groups,
                     const struct summary *summary, struct str *out) {
    csv_add_text(out, policy);
    RUNS_COLUMNS(COLUMN_CELL)
    for (unsigned c = 0; c < SUMMARY_ALL; c++)
        if (summary_shows(groups, c))
            csv_comma_metric(out, c, summary_value(summary, c));
    str_add_char(out, '\n');
}

void summary_csv_run_header(const struct metric_set *metrics, struct str *out) {
    str_add(out, RUNS_COLUMNS(COLUMN_NAME));
    for (size_t i = 0; i < metrics->count; i++)
        csv_comma_text(out, metrics->names[i]);
    str_add_char(out, '\n');
}

void summary_csv_run(uint32_t replication, int64_t seed, const struct metric_set *metrics,
                     const struct summary *summary, struct str *out) {
    RUNS_COLUMNS(COLUMN_CELL)
    for (size_t i = 0; i < metrics->count; i++)
        csv_comma_metric(out, metrics->columns[i], summary_value(summary, metrics->columns[i]));
    str_add_char(out, '\n');
}

/* --- aggregate_csv --- */

/* clang-format off */
#define AGGREGATE_COLUMNS(X) \
    X(policy, csv(text), "", NEITHER, policy) \
    X(metric, csv(text), "", NEITHER, summary_names[c]) \
    X(n, int, "", NEITHER, (int64_t)e.n) \
    X(mean, real, OF_METRIC, NEITHER, e.mean) \
    X(sd, real, OF_METRIC, NEITHER, e.sd) \
    X(ci95, real, OF_METRIC, NEITHER, e.ci95)
/* clang-format on */

void aggregate_csv_header(struct str *out) {
    str_add(out, TABLE_HEADER(AGGREGATE_COLUMNS));
}

void aggregate_csv_rows(const char *policy, unsigned groups, const struct summary *summaries,
                        uint32_t count, struct str *out) {
    for (unsigned c = 0; c < SUMMARY_ALL; c++) {
        if (!summary_shows(groups, c))
            continue;
        struct estimate e = t_interval_of_column(summaries, count, c);
        TABLE_ROW(AGGREGATE_COLUMNS);
    }
}

/* --- result_json --- */

void result_json(const struct study *study, const struct replicate_result *result,
                 const struct bound_output *bounds, struct str *out) {
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "name", study->scenario.name);
    cJSON_AddStringToObject(root, "policy", study->policy);
    json_add_int(root, "seed", study->scenario.seed);
    json_add_int(root, "replications", result->count);
    cJSON *metrics = cJSON_AddObjectToObject(root, "metrics");
    for (unsigned column = 0; column < SUMMARY_ALL; column++) {
        if (!summary_shows(study_metric_groups(study), column))
            continue;
        struct estimate e = t_interval_of_column(result->summaries, result->count, column);
        cJSON *object = cJSON_AddObjectToObject(metrics, summary_names[column]);
        AGGREGATE_COLUMNS(COLUMN_MEMBER)
    }
    if (bounds)
        bound_tables_add_json(bounds, root);
    json_print(root, out);
}
