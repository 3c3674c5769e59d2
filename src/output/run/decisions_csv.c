/* decisions.csv: see decisions_csv.h. */
#include "output/run/decisions_csv.h"

#include "io/csv.h"
#include "output/run/run_columns.h"

#include <math.h>

/* clang-format off */
#define DECISIONS_COLUMNS(X) \
    X(time_s, "s", NEITHER, run_columns_ns(out, row->time_ns)) \
    X(action, "", NEITHER, csv_comma_text(out, action_names[row->action.kind])) \
    X(job_id, "", NEITHER, csv_comma_text(out, action_job_id(sim, &row->action))) \
    X(gpu_type, "", NEITHER, csv_comma_text(out, config_gpu_type(sim, c))) \
    X(k, "GPUs", NEITHER, csv_comma_count(out, c ? c->k : 0)) \
    X(b, "samples", NEITHER, csv_comma_positive(out, c ? c->batch : 0)) \
    X(answer, "", NEITHER, csv_comma_text(out, answer_text(sim, &row->action))) \
    X(power_limit_w, "W", NEITHER, run_columns_limit(out, c ? c->power_limit_w : INFINITY))
/* clang-format on */

static const char *action_job_id(const struct sim *sim, const struct action_record *action) {
    return action->job < sim->workload->jobs.count ? sim->workload->jobs.at[action->job].id : NULL;
}

static const char *answer_text(const struct sim *sim, const struct action_record *action) {
    return action->kind == ACTION_REJECT && action->refusal == REFUSED_NOT
               ? sim->reject_reasons[action->job]
               : refusal_names[action->refusal];
}

static const char *config_gpu_type(const struct sim *sim, const struct easim_config *config) {
    return config ? sim->cluster->gpu_types[config->gpu_type].name : NULL;
}

void decisions_csv_header(struct str *out) {
    str_add(out, RUN_HEADER(DECISIONS_COLUMNS) "\n");
}

void decisions_csv_rows(const struct replication *replication, struct str *out) {
    const struct sim *sim = replication->sim;
    for (size_t i = 0; i < replication->metrics->decision_rows.count; i++) {
        const struct decision_row *row = &replication->metrics->decision_rows.at[i];
        uint32_t config = row->action.config;
        const struct easim_config *c =
            config < sim->view.v->config_count ? &sim->view.configs[config] : NULL;
        run_columns_begin_row(replication, out);
        DECISIONS_COLUMNS(RUN_COLUMN_CELL)
        str_add_char(out, '\n');
    }
}
