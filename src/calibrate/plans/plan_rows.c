/* Reads a CSV of iterations of transformers that were measured under known plans. */
#include "calibrate/plans/internal.h"

#include "base/numfmt.h"
#include "io/csv.h"
#include "model/model_fields.h"

#include <math.h>
#include <stdlib.h>

#define MOST_DEGREE 1000000

#define COLUMNS(X) \
    X(MODEL, "model"), X(GPU, "gpu"), X(GPUS, "gpus"), X(TENSOR, "tp"), X(PIPELINE, "pp"), \
        X(MICRO_BATCH, "mb"), X(INTERLEAVING, "v"), X(CONTEXT, "cp"), \
        X(GLOBAL_BATCH, "global_batch"), X(GROUP, "group"), X(ROUND, "round"), \
        X(ROUND_FACTOR, "round_factor"), X(FOLD, "fold"), X(SHAPE_FRACTION, "shape_fraction"), \
        X(HELD_OUT, "held_out"), X(ITERATION, "iteration_s"), X(SAMPLES, "samples_s"), \
        X(TOKENS, "tokens_s_gpu"), X(TFLOPS, "tflops_gpu")
enum column { COLUMNS(ENUM_OF), COLUMN_COUNT };
#define FIRST_OPTIONAL INTERLEAVING
#define FIRST_MEASURE  ITERATION

static const char *const column_names[COLUMN_COUNT] = {COLUMNS(NAME_OF)};

struct reader {
    struct plan_rows *rows;
    const struct model_set *models;
    const struct binding *binding;
    struct csv *csv;
    int columns[COLUMN_COUNT];
    enum column measure;
};

static void refuse_cell(const struct reader *r, enum column column, const char *expected) {
    csv_refuse(r->csv, r->columns[column], column_names[column], expected, r->binding->problems);
}

static const char *text_cell(const struct reader *r, enum column column) {
    struct slice cell = csv_field(r->csv, r->columns[column]);
    return arena_printf(r->binding->arena, "%.*s", (int)cell.length, cell.length ? cell.at : "");
}

/* A whole number from 1 on, `absent` where the cell is empty and may be; 0 after a problem. */
static uint32_t degree_cell(const struct reader *r, enum column column, uint32_t absent) {
    struct slice cell = csv_field(r->csv, r->columns[column]);
    int64_t value = 0;
    if (cell.length == 0 && absent > 0)
        return absent;
    if (numfmt_parse_int(cell.at, cell.length, &value) && value >= 1 && value <= MOST_DEGREE)
        return (uint32_t)value;
    refuse_cell(r, column, "a whole number from 1 to 1000000");
    return 0;
}

/* A number in (0, most], `absent` where the cell is empty or there is no such column. */
static double factor_cell(const struct reader *r, enum column column, double most, double absent,
                          const char *expected) {
    struct slice cell = csv_field(r->csv, r->columns[column]);
    double value = 0;
    if (cell.length == 0)
        return absent;
    if (!numfmt_parse_real(cell.at, cell.length, &value) || !(value > 0 && value <= most))
        refuse_cell(r, column, expected);
    return value;
}

/* Seconds of an iteration from what the file measures; 0 after a problem. */
static double iteration_cell(const struct reader *r, const struct plan_row *row) {
    double value = 0, gpus = plan_gpus(&row->plan);
    struct slice cell = csv_field(r->csv, r->columns[r->measure]);
    if (!numfmt_parse_real(cell.at, cell.length, &value) || !(value > 0 && value <= 1e15)) {
        refuse_cell(r, r->measure, "a number > 0");
        return 0;
    }
    double sequences = (double)row->shape.global_batch;
    return r->measure == ITERATION ? value
           : r->measure == SAMPLES ? sequences / value
           : r->measure == TOKENS  ? sequences * (double)row->shape.sequence / (value * gpus)
                                   : transformer_flop(&row->shape) / (value * 1e12 * gpus);
}

/* The model and its GPU type; false after a problem. */
static bool find_model(const struct reader *r, struct plan_row *row) {
    const char *gpu = text_cell(r, GPU);
    row->model = text_cell(r, MODEL);
    int found = model_set_find(r->models, row->model);
    const struct model *model = found >= 0 ? &r->models->models[found] : NULL;
    if (!model || !model->is_transformer) {
        refuse_cell(r, MODEL, "a transformer of the model file");
        return false;
    }
    row->gpu_model = model_on_gpu(model, gpu);
    row->shape = model->transformer;
    if (!row->gpu_model) {
        refuse_cell(r, GPU, "a GPU type of this model in the model file");
        return false;
    }
    int64_t stated = row->gpu_model->gpus_per_node;
    row->node_gpus = stated > 0 ? (uint32_t)stated : r->rows->node_gpus;
    return true;
}

/* Which rows it shares constants with, and which are left out with it. */
static void read_ties(const struct reader *r, struct plan_row *row) {
    const struct gpu_model *g = row->gpu_model;
    row->group = text_cell(r, GROUP);
    if (!row->group[0] && g->precision != PRECISION_UNSTATED)
        row->group =
            arena_printf(r->binding->arena, "%s %s", g->gpu, precision_names[g->precision]);
    row->round = text_cell(r, ROUND);
    row->fold = text_cell(r, FOLD);
    row->round_factor = factor_cell(r, ROUND_FACTOR, 1e3, row->round[0] ? NAN : 1,
                                    "a number > 0 and <= 1000, or nothing");
    row->shape_fraction = factor_cell(r, SHAPE_FRACTION, 1, 1, "a number > 0 and <= 1, or nothing");
}

/* dp follows from the GPUs. */
static bool find_plan(const struct reader *r, struct plan_row *row) {
    struct plan *p = &row->plan;
    uint32_t gpus = degree_cell(r, GPUS, 0);
    p->tensor = degree_cell(r, TENSOR, 0);
    p->pipeline = degree_cell(r, PIPELINE, 0);
    p->micro_batch = degree_cell(r, MICRO_BATCH, 0);
    p->interleaving = degree_cell(r, INTERLEAVING, 1);
    p->context = degree_cell(r, CONTEXT, 1);
    row->shape.global_batch = degree_cell(r, GLOBAL_BATCH, (uint32_t)row->shape.global_batch);
    uint64_t apart = (uint64_t)p->tensor * p->pipeline * p->context;
    if (gpus == 0 || p->micro_batch == 0 || p->interleaving == 0 || apart == 0 ||
        row->shape.global_batch == 0)
        return false;
    if (gpus % apart != 0) {
        refuse_cell(r, GPUS, "a multiple of tp x pp x cp");
        return false;
    }
    p->data = (uint32_t)(gpus / apart);
    const char *wrong = plan_wrong(&row->shape, p, row->node_gpus);
    if (wrong)
        problems_add(r->binding->problems, csv_where(r->csv, r->columns[TENSOR]), "plan",
                     "expected a plan that can be, got one where %s", wrong);
    return !wrong;
}

static void read_plan_row(void *context) {
    struct reader *r = context;
    struct plan_row row = {.line = csv_where(r->csv, -1).line};
    struct slice held = csv_field(r->csv, r->columns[HELD_OUT]);
    if (!find_model(r, &row) || !find_plan(r, &row))
        return;
    read_ties(r, &row);
    row.iteration_s = iteration_cell(r, &row);
    row.held_out = held.length == 1 && held.at[0] == '1';
    if (held.length > 0 && !row.held_out && !(held.length == 1 && held.at[0] == '0'))
        refuse_cell(r, HELD_OUT, "0 or 1");
    array_push(&r->rows->rows, row);
}

/* The one column of what was measured. */
static int find_measure(struct reader *r, const char *path) {
    int found = 0;
    for (int c = FIRST_MEASURE; c < COLUMN_COUNT; c++)
        if (r->columns[c] >= 0) {
            r->measure = (enum column)c;
            found++;
        }
    if (found == 1)
        return 0;
    return problems_add(r->binding->problems, (struct location){.file = path, .line = 1}, NULL,
                        "expected one of the columns iteration_s, samples_s, tokens_s_gpu and "
                        "tflops_gpu, got %s",
                        found == 0 ? "none" : "several");
}

int plan_rows_load(struct plan_rows *rows, const char *path, const struct model_set *models,
                   const struct binding *binding) {
    struct reader r = {.rows = rows, .models = models, .binding = binding};
    struct error error = {0};
    size_t before = binding->problems->count;
    if (csv_open(path, ',', &r.csv, &error) < 0)
        return problems_say(binding->problems, "%s", error.text);
    int named =
        csv_needed_columns(r.csv, column_names, FIRST_OPTIONAL, r.columns, binding->problems);
    for (int c = FIRST_OPTIONAL; c < COLUMN_COUNT; c++)
        r.columns[c] = csv_column(r.csv, column_names[c]);
    rows->has_shapes = r.columns[SHAPE_FRACTION] >= 0;
    if (named == 0 && find_measure(&r, path) == 0)
        csv_each_row(r.csv, binding->problems, read_plan_row, &r);
    csv_close(r.csv);
    return binding->problems->count > before ? ERROR_INPUT : 0;
}

void plan_rows_finish(struct plan_rows *rows) {
    free(rows->rows.at);
}
