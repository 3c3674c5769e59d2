/* services.csv: see run_tables.h. */
#include "output/run/run_tables.h"

#include "engine/services.h"
#include "io/csv.h"
#include "output/run/run_columns.h"

/* clang-format off */
#define SERVICES_COLUMNS(X) \
    X(service, "", NEITHER, csv_comma_text(out, spec->name)) \
    X(user, "", NEITHER, csv_comma_text(out, spec->user)) \
    X(model, "", NEITHER, csv_comma_text(out, spec->model_name)) \
    X(tokens_before, "tokens", NEITHER, csv_comma_real(out, row->tokens_before)) \
    X(tokens_demanded, "tokens", NEITHER, csv_comma_real(out, row->tokens_demanded)) \
    X(tokens_served, "tokens", MORE, csv_comma_real(out, row->tokens_served)) \
    X(tokens_dropped, "tokens", LESS, csv_comma_real(out, row->tokens_dropped)) \
    X(tokens_left, "tokens", LESS, csv_comma_real(out, row->tokens_left)) \
    X(slo_share, "share", MORE, csv_comma_real(out, row->slo_share)) \
    X(energy_kwh, "kWh", LESS, csv_comma_real(out, row->energy_kwh)) \
    X(j_per_token, "J", LESS, csv_comma_real(out, row->j_per_token)) \
    X(wait_p50_s, "s", LESS, csv_comma_real(out, row->wait_p50_s)) \
    X(wait_p99_s, "s", LESS, csv_comma_real(out, row->wait_p99_s)) \
    X(latency_p99_ms, "ms", LESS, csv_comma_real(out, row->latency_p99_ms)) \
    X(replica_gpu_h, "GPU h", LESS, csv_comma_real(out, row->gpu_h)) \
    X(replicas_end, "", NEITHER, csv_comma_int(out, run->ready + run->loading)) \
    X(scale_ups, "", NEITHER, csv_comma_real(out, row->scale_ups)) \
    X(preemptions, "", LESS, csv_comma_real(out, row->preemptions))
/* clang-format on */

void services_csv_header(struct str *out) {
    str_add(out, RUN_HEADER(SERVICES_COLUMNS) "\n");
}

void services_csv_rows(const struct replication *replication, struct flow *flow) {
    const struct sim *sim = replication->sim;
    for (uint32_t s = 0; s < sim->services.count; s++) {
        const struct service *spec = services_spec(sim, s);
        const struct service_run *run = &sim->services.runs[s];
        const struct service_row *row = &replication->metrics->services[s];
        struct str *out = flow_row(flow);
        run_columns_begin_row(replication, out);
        SERVICES_COLUMNS(RUN_COLUMN_CELL)
        str_add_char(out, '\n');
    }
}
