/* The rows of the profile CSV that readers fill. */
#include "ingest/profile.h"

#include "io/csv.h"

#include <math.h>
#include <stdlib.h>

enum profile_serving_column {
    SERVING_COLUMN_UNIT,
    SERVING_COLUMN_PROMPT,
    SERVING_COLUMN_LIMIT,
    SERVING_COLUMN_RUNNING,
    SERVING_COLUMN_ITL, /* and the other quantiles */
    SERVING_COLUMN_LATENCY = SERVING_COLUMN_ITL + PROFILE_QUANTILES,
    SERVING_COLUMNS
};

static const char *const profile_serving_columns[SERVING_COLUMNS] = {
    "unit",       "prompt",     "batch_limit", "running_batch", "itl_p50_ms",
    "itl_p90_ms", "itl_p95_ms", "itl_p99_ms",  "latency_ms"};

/* Appends the value, if there is one. */
static void profile_serving_cell(struct str *out, const struct profile_serving *serving,
                                 enum profile_serving_column column) {
    double value = 0;
    if (column == SERVING_COLUMN_UNIT || column == SERVING_COLUMN_PROMPT)
        csv_add_text(out, column == SERVING_COLUMN_UNIT ? serving->unit : serving->prompt);
    else if (column == SERVING_COLUMN_LIMIT)
        value = serving->batch_limit;
    else if (column == SERVING_COLUMN_RUNNING)
        value = serving->running_batch;
    else if (column == SERVING_COLUMN_LATENCY)
        value = serving->latency_ms;
    else
        value = serving->itl_ms[column - SERVING_COLUMN_ITL];
    if (value > 0)
        csv_add_real(out, value);
}

/* --- profile --- */

struct profile_row *profile_add_row(struct profile *profile,
                                    const struct profile_options *options) {
    struct profile_row *row = array_add(&profile->rows);
    *row = (struct profile_row){.model = options->model,
                                .precision = options->precision,
                                .gpu = options->gpu,
                                .gpus = options->gpus,
                                .batch = options->batch,
                                .power_limit_w = options->power_limit_w,
                                .throughput_samples_s = NAN,
                                .power_w_per_gpu = NAN,
                                .run = {.global_batch = NAN,
                                        .samples_to_target = NAN,
                                        .run_s = NAN,
                                        .node_power_w = NAN,
                                        .node_floor_w = NAN}};
    return row;
}

int profile_check_columns(struct profile *profile, struct problems *problems) {
    size_t gpu = 0, model = 0, gpus = 0, batch = 0, count = profile->rows.count;
    for (size_t i = 0; i < count; i++) {
        const struct profile_row *row = &profile->rows.at[i];
        gpu += !row->gpu;
        model += !row->model;
        gpus += row->gpus == 0;
        batch += row->batch == 0;
    }
    const struct {
        const char *column, *setting;
        size_t empty;
    } columns[] = {
        {"model", "model", model}, {"k", "gpus", gpus}, {"batch_per_gpu", "batch", batch}};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (columns[i].empty > 0)
            problems_add_setting(&profile->notes, (struct location){0}, columns[i].setting,
                                 "%zu of %zu rows have no %s", columns[i].empty, count,
                                 columns[i].column);
    if (gpu == 0)
        return 0;
    return problems_add_setting(
        problems, (struct location){0}, "gpu",
        "expected the GPU type: the input does not name it, and %zu of %zu profile rows need it",
        gpu, count);
}

/* ---- The CSV ---- */

#define RUN_COLUMN_ROWS(X) \
    X(RUN_NODES, "nodes"), X(RUN_GLOBAL_BATCH, "global_batch"), X(RUN_GRAD_ACCUM, "grad_accum"), \
        X(RUN_SAMPLES, "samples_to_target"), X(RUN_SECONDS, "run_s"), \
        X(RUN_NODE_POWER, "node_power_w"), X(RUN_NODE_FLOOR, "node_floor_w"), \
        X(RUN_POWER_SCOPE, "power_scope"), X(RUN_ROUND, "round"), X(RUN_RUNS, "runs")
enum run_column { RUN_COLUMN_ROWS(ENUM_OF), RUN_COLUMNS };

static const char *const run_column_names[RUN_COLUMNS] = {RUN_COLUMN_ROWS(NAME_OF)};

/* Appends the value, if there is one. */
static void add_run_cell(struct str *out, const struct profile_run *run, enum run_column column) {
    const uint32_t counts[RUN_COLUMNS] = {
        [RUN_NODES] = run->nodes, [RUN_GRAD_ACCUM] = run->grad_accum, [RUN_RUNS] = run->runs};
    const double reals[RUN_COLUMNS] = {[RUN_GLOBAL_BATCH] = run->global_batch,
                                       [RUN_SAMPLES] = run->samples_to_target,
                                       [RUN_SECONDS] = run->run_s,
                                       [RUN_NODE_POWER] = run->node_power_w,
                                       [RUN_NODE_FLOOR] = run->node_floor_w};
    if (column == RUN_POWER_SCOPE || column == RUN_ROUND)
        csv_add_text(out, column == RUN_ROUND ? run->round : run->power_scope);
    else if (counts[column] > 0)
        str_add_int(out, counts[column]);
    else if (reals[column] > 0)
        csv_add_real(out, reals[column]);
}

#define OPTIONAL_COLUMNS (RUN_COLUMNS + (int)SERVING_COLUMNS)

static const char *optional_name(int column) {
    return column < RUN_COLUMNS ? run_column_names[column]
                                : profile_serving_columns[column - RUN_COLUMNS];
}

static void add_optional_cell(struct str *out, const struct profile_row *row, int column) {
    if (column < RUN_COLUMNS)
        add_run_cell(out, &row->run, (enum run_column)column);
    else
        profile_serving_cell(out, &row->serving,
                             (enum profile_serving_column)(column - RUN_COLUMNS));
}

/* The optional columns that some row has. */
static void find_columns(const struct profile *profile, bool used[static OPTIONAL_COLUMNS]) {
    struct str cell = {0};
    for (size_t i = 0; i < profile->rows.count; i++)
        for (int c = 0; c < OPTIONAL_COLUMNS; c++) {
            if (used[c])
                continue;
            cell.length = 0;
            add_optional_cell(&cell, &profile->rows.at[i], c);
            used[c] = cell.length > 0;
        }
    str_finish(&cell);
}

static void write_profile_row(const struct profile_row *row, struct str *out) {
    csv_add_text(out, row->model);
    csv_comma_text(out, row->precision);
    csv_comma_text(out, row->gpu);
    csv_comma_count(out, row->gpus);
    csv_comma_positive(out, row->batch);
    csv_comma_real(out, row->power_limit_w);
    csv_comma_real(out, row->throughput_samples_s);
    csv_comma_real(out, row->power_w_per_gpu);
    bool has_figures = !isnan(row->throughput_samples_s) || !isnan(row->power_w_per_gpu) ||
                       !isnan(row->run.node_power_w);
    csv_comma_text(out, !has_figures ? NULL : row->is_derived ? "derived" : "measured");
    csv_comma_text(out, row->source);
}

void profile_write_csv(const struct profile *profile, struct str *out) {
    bool used[OPTIONAL_COLUMNS] = {false};
    find_columns(profile, used);
    str_add(
        out,
        "model,precision,gpu,k,batch_per_gpu,power_limit_w,throughput_samples_s,power_w_per_gpu,evidence,source");
    for (int c = 0; c < OPTIONAL_COLUMNS; c++)
        if (used[c])
            csv_comma_text(out, optional_name(c));
    str_add_char(out, '\n');
    for (size_t i = 0; i < profile->rows.count; i++) {
        write_profile_row(&profile->rows.at[i], out);
        for (int c = 0; c < OPTIONAL_COLUMNS; c++)
            if (used[c]) {
                str_add_char(out, ',');
                add_optional_cell(out, &profile->rows.at[i], c);
            }
        str_add_char(out, '\n');
    }
}

void profile_finish(struct profile *profile) {
    free(profile->rows.at);
    problems_finish(&profile->notes);
    arena_finish(&profile->arena);
    *profile = (struct profile){0};
}
