/* decisions.csv: see run_tables.h. */
#include "output/run/run_tables.h"

#include "engine/services.h"
#include "io/csv.h"
#include "output/run/run_columns.h"

#include <math.h>

/* clang-format off */
#define DECISIONS_COLUMNS(X) \
    X(time_s, "s", NEITHER, run_columns_ns(out, row->time_ns)) \
    X(action, "", NEITHER, csv_comma_text(out, action_names[row->action.kind])) \
    X(job_id, "", NEITHER, csv_comma_text(out, who.text)) \
    X(gpu_type, "", NEITHER, csv_comma_text(out, gpu_type_name(sim, c, replica))) \
    X(k, "GPUs", NEITHER, csv_comma_count(out, c ? c->k : replica ? replica->k : 0)) \
    X(b, "samples", NEITHER, csv_comma_positive(out, c ? c->batch : most_requests(replica))) \
    X(answer, "", NEITHER, csv_comma_text(out, answer_text(sim, &row->action))) \
    X(power_limit_w, "W", NEITHER, run_columns_limit(out, c ? c->power_limit_w : INFINITY))
/* clang-format on */

/* Of a service that exists. */
static bool is_scaling(const struct action_record *action) {
    return (action->kind == ACTION_SCALE_UP || action->kind == ACTION_SCALE_DOWN) &&
           action->scaled.service != EASIM_NONE;
}

/* A job, a replica, or a service that does not get one. */
static void add_who(const struct sim *sim, const struct action_record *action, struct str *who) {
    who->length = 0;
    str_add(who,
            action->job < sim->workload->jobs.count ? sim->workload->jobs.at[action->job].id : "");
    if (!is_scaling(action))
        return;
    str_add(who, services_spec(sim, action->scaled.service)->name);
    if (action->scaled.number > 0)
        str_addf(who, "#%u", action->scaled.number);
}

/* Of a replica, in the place of a batch; 0: as many as were measured. */
static double most_requests(const struct replica_config *replica) {
    return replica && isfinite(replica->limit) ? replica->limit : 0;
}

static const char *answer_text(const struct sim *sim, const struct action_record *action) {
    return action->kind == ACTION_REJECT && action->refusal == REFUSED_NOT
               ? sim->reject_reasons[action->job]
               : refusal_names[action->refusal];
}

static const char *gpu_type_name(const struct sim *sim, const struct easim_config *config,
                                 const struct replica_config *replica) {
    const struct gpu_type *types = sim->cluster->gpu_types;
    return config ? types[config->gpu_type].name : replica ? types[replica->gpu_type].name : NULL;
}

void decisions_csv_header(struct str *out) {
    str_add(out, RUN_HEADER(DECISIONS_COLUMNS) "\n");
}

void decisions_csv_rows(const struct replication *replication, struct flow *flow) {
    const struct sim *sim = replication->sim;
    struct str who = {0};
    for (size_t i = 0; i < replication->metrics->decision_rows.count; i++) {
        const struct decision_row *row = &replication->metrics->decision_rows.at[i];
        uint32_t config = row->action.config;
        const struct easim_config *c =
            config < sim->view.v->config_count ? &sim->view.configs[config] : NULL;
        const struct replica_config *replica = is_scaling(&row->action)
                                                   ? &services_spec(sim, row->action.scaled.service)
                                                          ->configs[row->action.scaled.config]
                                                   : NULL;
        add_who(sim, &row->action, &who);
        struct str *out = flow_row(flow);
        run_columns_begin_row(replication, out);
        DECISIONS_COLUMNS(RUN_COLUMN_CELL)
        str_add_char(out, '\n');
    }
    str_finish(&who);
}
