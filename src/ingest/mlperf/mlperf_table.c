/* Cells of the table, each within what a training run can be. Invariant: a run is added only if all
 * its cells were good. */
#include "ingest/mlperf/internal.h"

#include "config/csv_reader.h"

#include <math.h>

struct table_row {
    struct mlperf_run run;
    const char *submitter, *system;
    uint32_t power_nodes;
    int32_t kind; /* by place in power_kinds */
};

/* The place of the meter: ac at the plug, dc after the power supplies, ? not known. */
static const char *const power_kinds[] = {"ac", "dc", "?", NULL};
static const char *const power_scopes[] = {"node_ac", "node_dc", "node"};

static const struct field table_columns[] = {
    {"round", STRING(table_row, run.round), REQUIRED},
    {"benchmark", STRING(table_row, run.benchmark), REQUIRED},
    {"gpu", STRING(table_row, run.gpu), REQUIRED},
    {"gpus", COUNT(table_row, run.gpus), REQUIRED, RANGE(1, 1e6)},
    {"nodes", COUNT(table_row, run.nodes), REQUIRED, RANGE(1, 1e6)},
    {"global_batch", REAL(table_row, run.global_batch), REQUIRED, ABOVE(0, 1e12)},
    {"run_s", REAL(table_row, run.run_s), REQUIRED, ABOVE(0, 1e9)},
    {"throughput_samples_per_s", REAL(table_row, run.throughput), REQUIRED, WITH_GAPS,
     ABOVE(0, 1e12), DEFAULT(NAN)},
    {"samples_to_target", REAL(table_row, run.samples_to_target), REQUIRED, WITH_GAPS,
     ABOVE(0, 1e18), DEFAULT(NAN)},
    {"submitter", STRING(table_row, submitter)},
    {"system", STRING(table_row, system)},
    {"grad_accum", COUNT(table_row, run.grad_accum), RANGE(1, 1e6)},
    {"runs", COUNT(table_row, run.runs), RANGE(1, 1e6)},
    {"power_nodes", COUNT(table_row, power_nodes), RANGE(1, 1e6)},
    {"node_power_w", REAL(table_row, run.node_power_w), ABOVE(0, 1e6), DEFAULT(NAN)},
    {"power_kind", CHOICE(table_row, kind, power_kinds), DEFAULT(2)},
    FIELDS_END};

struct reader {
    struct csv_reader csv;
    struct profile *profile;
    struct mlperf_runs *runs;
};

/* Checks cells against each other; false after a problem. */
static bool check_power(const struct csv_reader *csv, const struct table_row *row) {
    size_t before = csv->problems->count;
    if (row->run.nodes > row->run.gpus)
        csv_reader_refuse(csv, "nodes", "at most as many nodes as GPUs");
    else if (row->power_nodes > row->run.nodes)
        csv_reader_refuse(csv, "power_nodes", "at most as many metered nodes as nodes");
    if (isnan(row->run.node_power_w) &&
        (row->power_nodes > 0 || csv_reader_cell(csv, "power_kind").length > 0))
        csv_reader_refuse(csv, "node_power_w", "the power of the metered nodes");
    return csv->problems->count == before;
}

static void read_table_row(void *context) {
    struct reader *r = context;
    struct table_row row;
    if (!csv_reader_row(&r->csv, &row) || !check_power(&r->csv, &row))
        return;
    row.run.node_floor_w = NAN;
    row.run.power_scope = power_scopes[row.kind];
    row.run.where = csv_where(r->csv.csv, -1);
    row.run.where.file = arena_strdup(&r->profile->arena, row.run.where.file);
    row.run.system = NULL;
    if (row.submitter || row.system)
        row.run.system =
            arena_printf(&r->profile->arena, "%s%s%s", row.submitter ? row.submitter : "",
                         row.submitter && row.system ? " " : "", row.system ? row.system : "");
    array_push(&r->runs->at, row.run);
}

int mlperf_table_read(const char *path, struct profile *profile, struct mlperf_runs *runs,
                      struct problems *problems) {
    struct intern texts = {0};
    struct reader r = {.csv = {.columns = table_columns, .problems = problems, .texts = &texts},
                       .profile = profile,
                       .runs = runs};
    int status = csv_reader_load(&r.csv, path, read_table_row, &r);
    arena_adopt(&profile->arena, &texts.arena);
    intern_finish(&texts);
    return status;
}
