/* jobs.csv: see run_tables.h. */
#include "output/run/run_tables.h"

#include "io/csv.h"
#include "metrics/job_record.h"
#include "output/run/run_columns.h"

#include <math.h>

/* clang-format off */
#define JOBS_COLUMNS(X) \
    X(job_id, "", NEITHER, csv_comma_text(out, spec->id)) \
    X(user, "", NEITHER, csv_comma_text(out, w->users.at[spec->user].name)) \
    X(model, "", NEITHER, csv_comma_text(out, workload_model_name(w, spec))) \
    X(class, "", NEITHER, run_columns_word(out, spec->sla ? "sla" : "best_effort")) \
    X(submit_s, "s", NEITHER, run_columns_ns(out, spec->submit_ns)) \
    X(start_s, "s", LESS, run_columns_ns(out, job.start_ns)) \
    X(finish_s, "s", LESS, run_columns_ns(out, job.finish_ns)) \
    X(status, "", NEITHER, run_columns_word(out, job_record_status_name(job.state))) \
    X(gpu_type, "", NEITHER, csv_comma_text(out, c ? cluster->gpu_types[c->gpu_type].name : NULL)) \
    X(k, "GPUs", NEITHER, csv_comma_count(out, c ? c->k : 0)) \
    X(b, "samples", NEITHER, csv_comma_positive(out, c ? c->batch : 0)) \
    X(nodes, "", NEITHER, csv_comma_count(out, c ? job.nodes : 0)) \
    X(wait_s, "s", LESS, run_columns_ns(out, job.wait_ns)) \
    X(exec_s, "s", NEITHER, run_columns_ns(out, job.exec_ns)) \
    X(jct_s, "s", LESS, run_columns_ns(out, job.jct_ns)) \
    X(energy_j, "J", LESS, csv_comma_real(out, job.energy_j)) \
    X(edp_js, "J s", LESS, csv_comma_real(out, job_record_edp_js(&job))) \
    X(gpu_s, "GPU s", NEITHER, run_columns_gpu_ps(out, job.gpu_ps)) \
    X(deadline_s, "s", NEITHER, run_columns_deadline(out, spec->deadline_ns)) \
    X(missed, "", LESS, add_missed(&job, out)) \
    X(preemptions, "", LESS, csv_comma_int(out, job.preemptions)) \
    X(resizes, "", NEITHER, csv_comma_int(out, job.resizes)) \
    X(lost_s, "s", LESS, run_columns_ns(out, job.lost_ns))
/* Behind the labels, where jobs share GPUs. */
#define SHARE_COLUMNS(X) \
    X(gpu_share, "GPUs", NEITHER, csv_comma_real(out, c ? easim_config_gpus(c) / c->k : NAN))
/* And where jobs are trained under plans. */
#define PLAN_COLUMNS(X) \
    X(plan, "", NEITHER, add_plan(w, spec, c, out))
/* And where the network has several tiers. */
#define SPAN_COLUMNS(X) \
    X(span, "", NEITHER, csv_comma_text(out, c ? network_span_name(network, job.span) : NULL))
/* And where they share uplinks, or storage. */
#define NETWORK_COLUMNS(X) \
    X(network_slowed_s, "s", LESS, csv_comma_real(out, job.network_slowed_s))
#define STORAGE_COLUMNS(X) \
    X(storage_slowed_s, "s", LESS, csv_comma_real(out, job.storage_slowed_s))
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

static void add_missed(const struct job_record *job, struct str *out) {
    static const char *const cells[] = {[DEADLINE_NONE] = ",",
                                        [DEADLINE_OPEN] = ",",
                                        [DEADLINE_KEPT] = ",0",
                                        [DEADLINE_MISSED] = ",1"};
    str_add(out, cells[job->deadline]);
}

void jobs_csv_header(const struct workload *workload, struct str *out) {
    const struct cluster *cluster = workload->table.cluster;
    str_add(out, RUN_HEADER(JOBS_COLUMNS));
    run_columns_label_names(workload, out);
    str_add(out, workload->table.has_shares ? SHARE_COLUMNS(RUN_COLUMN_NAME) : "");
    str_add(out, workload->table.has_plans ? PLAN_COLUMNS(RUN_COLUMN_NAME) : "");
    str_add(out, cluster->network.tier_count > 1 ? SPAN_COLUMNS(RUN_COLUMN_NAME) : "");
    str_add(out, cluster->network.contention ? NETWORK_COLUMNS(RUN_COLUMN_NAME) : "");
    str_add(out, cluster->storage_bytes_s > 0 ? STORAGE_COLUMNS(RUN_COLUMN_NAME) "\n" : "\n");
}

/* begin: the cells of policy and replication. */
static void add_job_row(const struct replication *replication, uint32_t index,
                        const struct str *begin, struct str *out) {
    const struct cluster *cluster = replication->sim->cluster;
    const struct network *network = &cluster->network;
    const struct workload *w = replication->sim->workload;
    const struct job_record job = job_record_of(replication->sim, index);
    const struct job_spec *spec = job.spec;
    const struct easim_config *c = job.config;
    str_add_bytes(out, begin->text, begin->length);
    JOBS_COLUMNS(RUN_COLUMN_CELL)
    for (size_t i = 0; i < w->label_names.count; i++)
        csv_comma_text(out, spec->labels ? spec->labels[i] : NULL);
    if (w->table.has_shares)
        SHARE_COLUMNS(RUN_COLUMN_CELL)
    if (w->table.has_plans)
        PLAN_COLUMNS(RUN_COLUMN_CELL)
    if (network->tier_count > 1)
        SPAN_COLUMNS(RUN_COLUMN_CELL)
    if (cluster->network.contention)
        NETWORK_COLUMNS(RUN_COLUMN_CELL)
    if (cluster->storage_bytes_s > 0)
        STORAGE_COLUMNS(RUN_COLUMN_CELL)
    str_add_char(out, '\n');
}

void jobs_csv_rows(const struct replication *replication, struct flow *flow) {
    struct str begin = {0};
    run_columns_begin_row(replication, &begin);
    for (uint32_t j = 0; j < replication->sim->next_arrival; j++)
        add_job_row(replication, j, &begin, flow_row(flow));
    str_finish(&begin);
}
