/* The rows of the profile CSV that readers fill. */
#include "ingest/profile.h"

#include "config/csv_reader.h"

#include <math.h>
#include <stdlib.h>

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

/* The first ones are written always, evidence too; each other one if some row has it. */
#define ALWAYS 10
static const struct field profile_columns[] = {
    {"model", STRING(profile_row, model)},
    {"precision", STRING(profile_row, precision)},
    {"gpu", STRING(profile_row, gpu)},
    {"k", COUNT(profile_row, gpus)},
    {"batch_per_gpu", REAL(profile_row, batch)},
    {"power_limit_w", REAL(profile_row, power_limit_w)},
    {"throughput_samples_s", REAL(profile_row, throughput_samples_s)},
    {"power_w_per_gpu", REAL(profile_row, power_w_per_gpu)},
    {"evidence", CELL},
    {"source", STRING(profile_row, source)},
    {"nodes", COUNT(profile_row, run.nodes)},
    {"global_batch", REAL(profile_row, run.global_batch)},
    {"grad_accum", COUNT(profile_row, run.grad_accum)},
    {"samples_to_target", REAL(profile_row, run.samples_to_target)},
    {"run_s", REAL(profile_row, run.run_s)},
    {"node_power_w", REAL(profile_row, run.node_power_w)},
    {"node_floor_w", REAL(profile_row, run.node_floor_w)},
    {"power_scope", STRING(profile_row, run.power_scope)},
    {"round", STRING(profile_row, run.round)},
    {"runs", COUNT(profile_row, run.runs)},
    {"unit", STRING(profile_row, serving.unit)},
    {"prompt", STRING(profile_row, serving.prompt)},
    {"batch_limit", REAL(profile_row, serving.batch_limit)},
    {"running_batch", REAL(profile_row, serving.running_batch)},
    {"itl_p50_ms", REAL(profile_row, serving.itl_ms[0])},
    {"itl_p90_ms", REAL(profile_row, serving.itl_ms[1])},
    {"itl_p95_ms", REAL(profile_row, serving.itl_ms[2])},
    {"itl_p99_ms", REAL(profile_row, serving.itl_ms[3])},
    {"latency_ms", REAL(profile_row, serving.latency_ms)}};
#define COLUMNS (sizeof profile_columns / sizeof *profile_columns)

static const char *evidence_of(const struct profile_row *row) {
    bool has_figures = !isnan(row->throughput_samples_s) || !isnan(row->power_w_per_gpu) ||
                       !isnan(row->run.node_power_w);
    return !has_figures ? NULL : row->is_derived ? "derived" : "measured";
}

/* Appends the value, if there is one. */
static void add_profile_cell(struct str *out, const struct profile_row *row, size_t column) {
    const void *value = (const char *)row + profile_columns[column].offset;
    enum field_type type = profile_columns[column].type;
    if (type == FIELD_NODE)
        csv_add_text(out, evidence_of(row));
    else if (type == FIELD_STRING)
        csv_add_text(out, *(const char *const *)value);
    else if (type == FIELD_COUNT && *(const uint32_t *)value > 0)
        str_add_int(out, *(const uint32_t *)value);
    else if (type == FIELD_REAL && *(const double *)value > 0)
        csv_add_real(out, *(const double *)value);
}

static bool is_used(const struct profile *profile, size_t column) {
    struct str cell = {0};
    for (size_t i = 0; i < profile->rows.count && cell.length == 0; i++)
        add_profile_cell(&cell, &profile->rows.at[i], column);
    bool used = column < ALWAYS || cell.length > 0;
    str_finish(&cell);
    return used;
}

void profile_write_csv(const struct profile *profile, struct str *out) {
    bool used[COLUMNS];
    for (size_t c = 0; c < COLUMNS; c++) {
        used[c] = is_used(profile, c);
        if (used[c])
            str_addf(out, "%s%s", c > 0 ? "," : "", profile_columns[c].key);
    }
    str_add_char(out, '\n');
    for (size_t i = 0; i < profile->rows.count; i++) {
        for (size_t c = 0; c < COLUMNS; c++) {
            if (used[c] && c > 0)
                str_add_char(out, ',');
            if (used[c])
                add_profile_cell(out, &profile->rows.at[i], c);
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
