/* CSV text of the output files. Times are decimals of the int64, other numbers the shortest that
   reads back; what is not defined is an empty cell. */
#include "output/run/run_tables.h"

#include "base/units.h"
#include "io/csv.h"
#include "metrics/job_record.h"

#include <math.h>

static void comma_ns(struct str *out, int64_t time_ns) {
    str_add_char(out, ',');
    if (time_ns >= 0 && time_ns != TIME_NONE_NS)
        str_add_ns(out, time_ns);
}

/* Thousandths as a decimal: an integer where there are no parts. */
static void comma_milli(struct str *out, int64_t milli) {
    comma_ns(out, milli * (NS_PER_S / 1000));
}

static const char *policy_of(const struct sim *sim) {
    return sim->module->policy->name;
}

static void start_row(const struct replication *r, struct str *out) {
    csv_add_text(out, policy_of(r->sim));
    csv_comma_int(out, r->number);
}

/* --- jobs.csv --- */

void run_tables_jobs_header(const struct workload *w, struct str *out) {
    str_add(
        out,
        "policy,replication,job_id,user,model,class,submit_s,start_s,finish_s,status,gpu_type,k,b,nodes,wait_s,exec_s,jct_s,energy_j,edp_js,gpu_s,deadline_s,missed,preemptions,resizes,lost_s");
    for (size_t i = 0; i < w->label_names.count; i++) {
        str_add(out, ",label.");
        csv_add_text(out, w->label_names.at[i]);
    }
    str_add(out, w->table.has_shares ? ",gpu_share\n" : "\n");
}

/* GPU seconds as a decimal: whole GPU-nanoseconds in 64 bits reach 292 GPU-years; others go through
 * double. */
static void comma_gpu_ps(struct str *out, int128 gpu_ps) {
    if (gpu_ps % 1000 == 0 && gpu_ps / 1000 < INT64_MAX)
        comma_ns(out, (int64_t)(gpu_ps / 1000));
    else
        csv_comma_real(out, power_gpu_s(gpu_ps));
}

static void job_config(const struct sim *sim, const struct job_record *record, struct str *out) {
    const struct easim_config *config = record->config;
    if (!config) {
        str_add(out, ",,,,");
        return;
    }
    csv_comma_text(out, sim->cluster->gpu_types[config->gpu_type].name);
    csv_comma_int(out, config->k);
    str_add_char(out, ',');
    if (config->batch > 0)
        str_add_int(out, config->batch);
    csv_comma_int(out, record->nodes);
}

static void job_deadline(const struct job_record *record, struct str *out) {
    int64_t deadline_ns = record->spec->deadline_ns;
    if (deadline_ns < 0)
        csv_comma_real(out, units_s(deadline_ns));
    else
        comma_ns(out, deadline_ns);
    bool judged = record->deadline == DEADLINE_KEPT || record->deadline == DEADLINE_MISSED;
    str_add(out, !judged ? "," : record->deadline == DEADLINE_KEPT ? ",0" : ",1");
}

/* What a job holds of each of its GPUs. */
static double gpu_share(const struct easim_config *config) {
    return config ? easim_config_gpus(config) / config->k : NAN;
}

static void job_row(const struct replication *r, uint32_t job, struct str *out) {
    const struct workload *w = r->sim->workload;
    const struct job_record record = job_record_of(r->sim, job);
    const struct job_spec *spec = record.spec;
    start_row(r, out);
    csv_comma_text(out, spec->id);
    csv_comma_text(out, w->users.at[spec->user].name);
    csv_comma_text(out,
                   spec->kind == JOB_KIND_RIGID ? NULL : w->table.models->models[spec->model].name);
    str_add(out, spec->sla ? ",sla" : ",best_effort");
    comma_ns(out, spec->submit_ns);
    comma_ns(out, record.start_ns);
    comma_ns(out, record.finish_ns);
    csv_comma_text(out, job_record_status_name(&record));
    job_config(r->sim, &record, out);
    comma_ns(out, record.wait_ns);
    comma_ns(out, record.exec_ns);
    comma_ns(out, record.jct_ns);
    csv_comma_real(out, power_j(record.energy));
    csv_comma_real(out, job_record_edp_js(&record));
    comma_gpu_ps(out, record.gpu_ps);
    job_deadline(&record, out);
    csv_comma_int(out, record.preemptions);
    csv_comma_int(out, record.resizes);
    comma_ns(out, record.lost_ns);
    for (size_t i = 0; i < w->label_names.count; i++)
        csv_comma_text(out, spec->labels ? spec->labels[i] : NULL);
    if (w->table.has_shares)
        csv_comma_real(out, gpu_share(record.config));
    str_add_char(out, '\n');
}

void run_tables_jobs(const struct replication *r, struct str *out) {
    for (uint32_t j = 0; j < r->sim->next_arrival; j++)
        job_row(r, j, out);
}

/* --- users.csv, types.csv, power.csv --- */

void run_tables_users_header(struct str *out) {
    str_add(
        out,
        "policy,replication,user,weight,jobs,gpu_s,demand_gpu_s,energy_kwh,jct_mean_s,slowdown_mean\n");
}

void run_tables_users(const struct replication *r, struct str *out) {
    for (size_t u = 0; u < r->sim->workload->users.count; u++) {
        const struct user_row *row = &r->metrics->users[u];
        start_row(r, out);
        csv_comma_text(out, r->sim->workload->users.at[u].name);
        csv_comma_real(out, r->sim->workload->users.at[u].weight);
        csv_comma_int(out, row->jobs);
        const double values[] = {row->gpu_s, row->demand_gpu_s, row->energy_kwh, row->jct_mean_s,
                                 row->slowdown_mean};
        for (size_t i = 0; i < sizeof values / sizeof *values; i++)
            csv_comma_real(out, values[i]);
        str_add_char(out, '\n');
    }
}

void run_tables_types_header(struct str *out) {
    str_add(out, "policy,replication,gpu_type,gpus,alloc_gpu_h,compute_gpu_h,energy_kwh,jobs\n");
}

void run_tables_types(const struct replication *r, struct str *out) {
    for (uint32_t h = 0; h < r->sim->cluster->gpu_type_count; h++) {
        const struct type_row *row = &r->metrics->types[h];
        start_row(r, out);
        csv_comma_text(out, r->sim->cluster->gpu_types[h].name);
        csv_comma_int(out, r->sim->cluster->gpu_types[h].gpus);
        csv_comma_real(out, row->alloc_gpu_h);
        csv_comma_real(out, row->compute_gpu_h);
        csv_comma_real(out, row->energy_kwh);
        csv_comma_int(out, row->jobs);
        str_add_char(out, '\n');
    }
}

void run_tables_power_header(struct str *out) {
    str_add(out,
            "policy,replication,time_s,power_w,alloc_gpus,idle_gpus,waiting,cap_w,failed_gpus\n");
}

void run_tables_power(const struct replication *r, struct str *out) {
    for (size_t i = 0; i < r->metrics->power_rows.count; i++) {
        const struct power_row *row = &r->metrics->power_rows.at[i];
        start_row(r, out);
        comma_ns(out, row->time_ns);
        comma_ns(out, row->power_nw); /* nanowatts print as watts, exactly */
        comma_milli(out,
                    (int64_t)row->allocated * WHOLE_GPU_MILLI - (int64_t)row->shared_free_milli);
        comma_milli(out, (int64_t)row->idle * WHOLE_GPU_MILLI + (int64_t)row->shared_free_milli);
        csv_comma_int(out, row->waiting);
        csv_comma_real(out, isfinite(row->cap_w) ? row->cap_w : NAN);
        csv_comma_int(out, row->failed);
        str_add_char(out, '\n');
    }
}

/* --- decisions.csv --- */

void run_tables_decisions_header(struct str *out) {
    str_add(out, "policy,replication,time_s,action,job_id,gpu_type,k,b,answer,power_limit_w\n");
}

void run_tables_decisions(const struct replication *r, struct str *out) {
    const struct sim *sim = r->sim;
    for (size_t i = 0; i < r->metrics->decision_rows.count; i++) {
        const struct decision_row *row = &r->metrics->decision_rows.at[i];
        const struct action_record *action = &row->action;
        bool known = action->config < sim->view.v->config_count;
        const struct easim_config *config = known ? &sim->view.configs[action->config] : NULL;
        start_row(r, out);
        comma_ns(out, row->time_ns);
        csv_comma_text(out, action_names[action->kind]);
        csv_comma_text(out, action->job < sim->workload->jobs.count
                                ? sim->workload->jobs.at[action->job].id
                                : NULL);
        csv_comma_text(out, known ? sim->cluster->gpu_types[config->gpu_type].name : NULL);
        str_add_char(out, ',');
        if (known)
            str_add_int(out, config->k);
        str_add_char(out, ',');
        if (known && config->batch > 0)
            str_add_int(out, config->batch);
        csv_comma_text(out, action->kind == ACTION_REJECT ? sim->reject_reasons[action->job]
                                                          : refusal_names[action->refusal]);
        csv_comma_real(out, known && isfinite(config->power_limit_w) ? config->power_limit_w : NAN);
        str_add_char(out, '\n');
    }
}

/* --- summary.csv, aggregate.csv --- */

void run_tables_summary_header(struct str *out) {
    str_add(out, "policy");
    run_tables_run_header(out);
}

void run_tables_run_header(struct str *out) {
    str_add(out, ",replication,seed");
    for (size_t c = 0; c < SUMMARY_COUNT; c++)
        csv_comma_text(out, summary_names[c]);
    str_add_char(out, '\n');
}

void run_tables_summary(const char *policy, uint32_t number, int64_t seed,
                        const struct summary *summary, struct str *out) {
    csv_add_text(out, policy);
    run_tables_run(number, seed, summary, out);
}

void run_tables_run(uint32_t number, int64_t seed, const struct summary *summary, struct str *out) {
    csv_comma_int(out, number);
    csv_comma_int(out, seed);
    for (unsigned c = 0; c < SUMMARY_COUNT; c++)
        csv_comma_real(out, summary_value(summary, c));
    str_add_char(out, '\n');
}

void run_tables_aggregate_header(struct str *out) {
    str_add(out, "policy,metric,n,mean,sd,ci95\n");
}

void run_tables_aggregate(const char *policy, const struct summary *summaries, uint32_t count,
                          struct str *out) {
    for (unsigned c = 0; c < SUMMARY_COUNT; c++) {
        struct estimate e = statistics_column(summaries, count, c);
        csv_add_text(out, policy);
        csv_comma_text(out, summary_names[c]);
        csv_comma_int(out, (int64_t)e.n);
        csv_comma_real(out, e.mean);
        csv_comma_real(out, e.sd);
        csv_comma_real(out, e.ci95);
        str_add_char(out, '\n');
    }
}
