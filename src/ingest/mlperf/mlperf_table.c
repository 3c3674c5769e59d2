/* Cells of the table, each within what a training run can be. Invariant: a run is added only if all
 * its cells were good. */
#include "ingest/mlperf/internal.h"

#include "base/numfmt.h"
#include "ingest/foreign.h"
#include "io/csv.h"

#include <math.h>

#define COLUMNS(X) \
    X(ROUND, "round"), X(BENCHMARK, "benchmark"), X(GPU, "gpu"), X(GPUS, "gpus"), \
        X(NODES, "nodes"), X(GLOBAL_BATCH, "global_batch"), X(RUN_S, "run_s"), \
        X(THROUGHPUT, "throughput_samples_per_s"), X(SAMPLES, "samples_to_target"), \
        X(SUBMITTER, "submitter"), X(SYSTEM, "system"), X(GRAD_ACCUM, "grad_accum"), \
        X(RUNS, "runs"), X(POWER_NODES, "power_nodes"), X(NODE_POWER, "node_power_w"), \
        X(POWER_KIND, "power_kind")
enum column { COLUMNS(ENUM_OF), COLUMN_COUNT };
#define FIRST_OPTIONAL SUBMITTER

static const char *const column_names[COLUMN_COUNT] = {COLUMNS(NAME_OF)};

struct reader {
    struct csv *csv;
    struct profile *profile;
    struct mlperf_runs *runs;
    struct problems *problems;
    const char *file; /* in the profile's arena */
    int columns[COLUMN_COUNT];
};

static struct slice cell_of(const struct reader *reader, enum column column) {
    return csv_field(reader->csv, reader->columns[column]);
}

static void refuse_table_cell(const struct reader *reader, enum column column,
                              const char *expected) {
    csv_refuse(reader->csv, reader->columns[column], column_names[column], expected,
               reader->problems);
}

static const char *table_name(const struct reader *reader, enum column column) {
    struct slice cell = cell_of(reader, column);
    if (cell.length == 0 && column < FIRST_OPTIONAL)
        refuse_table_cell(reader, column, "a name");
    return cell.length == 0 ? NULL : arena_strndup(&reader->profile->arena, cell.at, cell.length);
}

/* A whole number, also written as "112.0"; 0: empty, of an optional column. */
static uint32_t table_count(const struct reader *reader, enum column column) {
    struct slice cell = cell_of(reader, column);
    int64_t value = 0;
    if (cell.length == 0 && column >= FIRST_OPTIONAL)
        return 0;
    if (!foreign_parse_whole(cell, &value) || value < 1 || value > 1000000) {
        refuse_table_cell(reader, column,
                          column < FIRST_OPTIONAL ? "integer 1..1000000"
                                                  : "integer 1..1000000 or empty");
        return 0;
    }
    return (uint32_t)value;
}

/* A number in (0, most]; NAN: empty. */
static double table_number(const struct reader *reader, enum column column, double most,
                           const char *expected) {
    struct slice cell = cell_of(reader, column);
    double value = NAN;
    if (cell.length == 0 && column > RUN_S)
        return NAN;
    if (!numfmt_parse_real(cell.at, cell.length, &value) || !(value > 0 && value <= most))
        refuse_table_cell(reader, column, expected);
    return value;
}

/* What the meter stood at: ac at the plug, dc behind the power supplies, ? not said. */
static const char *power_scope_of(const struct reader *reader) {
    struct slice kind = cell_of(reader, POWER_KIND);
    if (slice_is(kind, "ac"))
        return "node_ac";
    if (slice_is(kind, "dc"))
        return "node_dc";
    if (kind.length > 0 && !slice_is(kind, "?"))
        refuse_table_cell(reader, POWER_KIND, "ac, dc, ? or empty");
    return "node";
}

static void read_table_row(void *context) {
    const struct reader *r = context;
    size_t before = r->problems->count;
    struct mlperf_run run = {
        .where = csv_where(r->csv, -1),
        .round = table_name(r, ROUND),
        .benchmark = table_name(r, BENCHMARK),
        .gpu = table_name(r, GPU),
        .gpus = table_count(r, GPUS),
        .nodes = table_count(r, NODES),
        .grad_accum = table_count(r, GRAD_ACCUM),
        .runs = table_count(r, RUNS),
        .global_batch = table_number(r, GLOBAL_BATCH, 1e12, "number > 0 and <= 1e12"),
        .run_s = table_number(r, RUN_S, 1e9, "number > 0 and <= 1e9"),
        .throughput = table_number(r, THROUGHPUT, 1e12, "number > 0 and <= 1e12 or empty"),
        .samples_to_target = table_number(r, SAMPLES, 1e18, "number > 0 and <= 1e18 or empty"),
        .node_power_w = table_number(r, NODE_POWER, 1e6, "number > 0 and <= 1e6 or empty"),
        .node_floor_w = NAN,
        .power_scope = power_scope_of(r)};
    uint32_t power_nodes = table_count(r, POWER_NODES);
    if (r->problems->count == before && run.nodes > run.gpus)
        refuse_table_cell(r, NODES, "at most as many nodes as GPUs");
    if (r->problems->count == before && power_nodes > run.nodes)
        refuse_table_cell(r, POWER_NODES, "at most as many metered nodes as nodes");
    if (isnan(run.node_power_w) && (power_nodes > 0 || cell_of(r, POWER_KIND).length > 0))
        refuse_table_cell(r, NODE_POWER, "the power of the metered nodes");
    if (r->problems->count > before)
        return;
    const char *submitter = table_name(r, SUBMITTER), *system = table_name(r, SYSTEM);
    run.where.file = r->file;
    if (submitter || system)
        run.system = arena_printf(&r->profile->arena, "%s%s%s", submitter ? submitter : "",
                                  submitter && system ? " " : "", system ? system : "");
    array_push(&r->runs->at, run);
}

static int find_table_columns(struct reader *reader, const char *path) {
    size_t before = reader->problems->count;
    for (int c = 0; c < COLUMN_COUNT; c++) {
        reader->columns[c] = csv_column(reader->csv, column_names[c]);
        if (c < FIRST_OPTIONAL && reader->columns[c] < 0)
            problems_add(reader->problems, (struct location){path, 1, 0}, NULL,
                         "column \"%s\" is missing", column_names[c]);
    }
    return reader->problems->count > before ? ERROR_INPUT : 0;
}

int mlperf_table_read(const char *path, struct profile *profile, struct mlperf_runs *runs,
                      struct problems *problems) {
    struct reader r = {.profile = profile, .runs = runs, .problems = problems};
    struct error error = {0};
    size_t before = problems->count;
    if (csv_open(path, ',', &r.csv, &error) < 0)
        return problems_say(problems, "%s", error.text);
    r.file = arena_printf(&profile->arena, "%s", csv_where(r.csv, -1).file);
    if (find_table_columns(&r, path) == 0)
        csv_each_row(r.csv, problems, read_table_row, &r);
    csv_close(r.csv);
    return problems->count > before ? ERROR_INPUT : 0;
}
