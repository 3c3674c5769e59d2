/* workload.csv: see run_tables.h. */
#include "output/run/run_tables.h"

#include "io/csv.h"
#include "output/run/run_columns.h"

#include <math.h>

/* clang-format off */
#define WORKLOAD_COLUMNS(X) \
    X(job_id, "", NEITHER, csv_comma_text(out, job->id)) \
    X(user, "", NEITHER, csv_comma_text(out, w->users.at[job->user].name)) \
    X(model, "", NEITHER, csv_comma_text(out, workload_model_name(w, job))) \
    X(class, "", NEITHER, run_columns_word(out, job->sla ? "sla" : "best_effort")) \
    X(submit_s, "s", NEITHER, run_columns_ns(out, job->submit_ns)) \
    X(deadline_s, "s", NEITHER, run_columns_deadline(out, job->deadline_ns)) \
    X(work_samples, "samples", NEITHER, csv_comma_real(out, rigid ? NAN : job->work)) \
    X(reference_gpu_s, "GPU s", NEITHER, csv_comma_real(out, job->reference_gpu_s)) \
    X(duration_s, "s", NEITHER, csv_comma_real(out, rigid ? job->work : NAN)) \
    X(requested_s, "s", NEITHER, csv_comma_real(out, guessed ? job->predicted_work : NAN)) \
    X(preemptible, "", NEITHER, csv_comma_int(out, job->preemptible)) \
    X(utilization, "share", NEITHER, csv_comma_real(out, rigid ? q->utilization : NAN)) \
    X(gpu_share, "GPUs", NEITHER, csv_comma_real(out, q->milli > 0 ? q->milli / 1e3 : NAN)) \
    X(k, "GPUs", NEITHER, add_k(q, out)) \
    X(b, "samples", NEITHER, add_batches(q, out)) \
    X(h, "", NEITHER, add_types(w, q, out))
/* clang-format on */

/* Cells of several values, the values separated by semicolons. */
static void add_separator(struct str *out, bool first) {
    str_add_char(out, first ? ',' : ';');
}

static void add_k(const struct config_request *q, struct str *out) {
    for (uint32_t i = 0; i < q->k_count; i++) {
        add_separator(out, i == 0);
        str_add_int(out, q->k[i]);
    }
    if (q->k_count == 0)
        str_add_char(out, ',');
}

static void add_batches(const struct config_request *q, struct str *out) {
    for (uint32_t i = 0; i < q->batch_count; i++) {
        add_separator(out, i == 0);
        str_add_real(out, q->batch[i]);
    }
    if (q->batch_count == 0)
        str_add_char(out, ',');
}

/* By number in the order of the scenario: names may hold anything. */
static void add_types(const struct workload *workload, const struct config_request *q,
                      struct str *out) {
    bool first = true;
    for (uint32_t h = 0; h < workload->table.cluster->gpu_type_count; h++)
        if (q->type_mask >> h & 1) {
            add_separator(out, first);
            str_add_int(out, h);
            first = false;
        }
    if (first)
        str_add_char(out, ',');
}

void workload_csv_header(const struct workload *workload, struct str *out) {
    str_add(out, "replication" WORKLOAD_COLUMNS(RUN_COLUMN_NAME));
    run_columns_label_names(workload, out);
    str_add_char(out, '\n');
}

static void add_job(const struct replication *replication, const struct job_spec *job,
                    struct str *out) {
    const struct workload *w = replication->sim->workload;
    const struct config_request *q = w->table.sets.at[job->set].request;
    bool rigid = job->kind == JOB_KIND_RIGID, guessed = rigid && job->predicted_work != job->work;
    str_add_int(out, replication->number);
    WORKLOAD_COLUMNS(RUN_COLUMN_CELL)
    for (size_t i = 0; i < w->label_names.count; i++)
        csv_comma_text(out, job->labels ? job->labels[i] : NULL);
    str_add_char(out, '\n');
}

void workload_csv_rows(const struct replication *replication, struct flow *flow) {
    const struct workload *w = replication->sim->workload;
    for (size_t i = 0; i < w->jobs.count; i++)
        add_job(replication, &w->jobs.at[i], flow_row(flow));
}
