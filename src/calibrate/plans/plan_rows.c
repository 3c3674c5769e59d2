/* Reads a CSV of iterations of transformers that were measured under known plans. */
#include "calibrate/plans/internal.h"

#include "config/csv_reader.h"
#include "model/model_fields.h"

#include <math.h>
#include <stdlib.h>

struct cells {
    struct plan_row row;
    const char *gpu;
    uint32_t gpus, global_batch; /* global_batch 0: that of the model */
    double measured;
};

#define DEGREE   RANGE(1, 1e6)
#define MEASURES "iteration_s, samples_s, tokens_s_gpu and tflops_gpu"

static const struct field plan_columns[] = {
    {"model", STRING(cells, row.model), REQUIRED},
    {"gpu", STRING(cells, gpu), REQUIRED},
    {"gpus", COUNT(cells, gpus), REQUIRED, DEGREE},
    {"tp", COUNT(cells, row.plan.tensor), REQUIRED, DEGREE},
    {"pp", COUNT(cells, row.plan.pipeline), REQUIRED, DEGREE},
    {"mb", COUNT(cells, row.plan.micro_batch), REQUIRED, DEGREE},
    {"v", COUNT(cells, row.plan.interleaving), DEGREE, DEFAULT(1)},
    {"cp", COUNT(cells, row.plan.context), DEGREE, DEFAULT(1)},
    {"global_batch", COUNT(cells, global_batch), DEGREE},
    {"group", STRING(cells, row.group), DEFAULT_TEXT("")},
    {"round", STRING(cells, row.round), DEFAULT_TEXT("")},
    {"round_factor", REAL(cells, row.round_factor), ABOVE(0, 1e3), DEFAULT(NAN)},
    {"fold", STRING(cells, row.fold), DEFAULT_TEXT("")},
    {"shape_fraction", REAL(cells, row.shape_fraction), ABOVE(0, 1), DEFAULT(1)},
    {"held_out", BOOL(cells, row.held_out)},
    {"iteration_s", REAL(cells, measured), EITHER(MEASURES), ABOVE(0, 1e15)},
    {"samples_s", REAL(cells, measured), EITHER(MEASURES), ABOVE(0, 1e15)},
    {"tokens_s_gpu", REAL(cells, measured), EITHER(MEASURES), ABOVE(0, 1e15)},
    {"tflops_gpu", REAL(cells, measured), EITHER(MEASURES), ABOVE(0, 1e15)},
    FIELDS_END};

struct reader {
    struct csv_reader csv;
    struct plan_rows *rows;
    const struct model_set *models;
    const struct binding *binding;
};

/* Seconds of an iteration from what the file measures. */
static double iteration_of(const struct csv_reader *csv, const struct plan_row *row,
                           double measured) {
    double gpus = plan_gpus(&row->plan), sequences = (double)row->shape.global_batch;
    return csv_reader_has(csv, "iteration_s") ? measured
           : csv_reader_has(csv, "samples_s") ? sequences / measured
           : csv_reader_has(csv, "tokens_s_gpu")
               ? sequences * (double)row->shape.sequence / (measured * gpus)
               : transformer_flop(&row->shape) / (measured * 1e12 * gpus);
}

/* The model and its GPU type; false after a problem. */
static bool find_model(const struct reader *r, struct plan_row *row, const char *gpu) {
    int found = model_set_find(r->models, row->model);
    const struct model *model = found >= 0 ? &r->models->models[found] : NULL;
    if (!model || !model->is_transformer) {
        csv_reader_refuse(&r->csv, "model", "a transformer of the model file");
        return false;
    }
    row->gpu_model = model_on_gpu(model, gpu);
    row->shape = model->transformer;
    if (!row->gpu_model) {
        csv_reader_refuse(&r->csv, "gpu", "a GPU type of this model in the model file");
        return false;
    }
    int64_t stated = row->gpu_model->gpus_per_node;
    row->node_gpus = stated > 0 ? (uint32_t)stated : r->rows->node_gpus;
    return true;
}

/* dp follows from the GPUs. */
static bool find_plan(const struct reader *r, struct plan_row *row, uint32_t gpus) {
    struct plan *p = &row->plan;
    uint64_t apart = (uint64_t)p->tensor * p->pipeline * p->context;
    if (gpus % apart != 0) {
        csv_reader_refuse(&r->csv, "gpus", "a multiple of tp x pp x cp");
        return false;
    }
    p->data = (uint32_t)(gpus / apart);
    const char *wrong = plan_wrong(&row->shape, p, row->node_gpus);
    if (wrong)
        problems_add(r->binding->problems, csv_reader_where(&r->csv, "tp"), "plan",
                     "expected a plan that can be, got one where %s", wrong);
    return !wrong;
}

static void read_plan_row(void *context) {
    struct reader *r = context;
    struct cells cells = {.row = {.line = csv_reader_line(&r->csv)}};
    struct plan_row *row = &cells.row;
    if (!csv_reader_row(&r->csv, &cells) || !find_model(r, row, cells.gpu))
        return;
    if (cells.global_batch > 0)
        row->shape.global_batch = cells.global_batch;
    if (!find_plan(r, row, cells.gpus))
        return;
    const struct gpu_model *g = row->gpu_model;
    if (!row->group[0] && g->precision != PRECISION_UNSTATED)
        row->group =
            arena_printf(r->binding->arena, "%s %s", g->gpu, precision_names[g->precision]);
    if (isnan(row->round_factor) && !row->round[0])
        row->round_factor = 1;
    row->iteration_s = iteration_of(&r->csv, row, cells.measured);
    array_push(&r->rows->rows, *row);
}

int plan_rows_load(struct plan_rows *rows, const char *path, const struct model_set *models,
                   const struct binding *binding) {
    struct intern texts = {0};
    struct reader r = {
        .csv = {.columns = plan_columns, .problems = binding->problems, .texts = &texts},
        .rows = rows,
        .models = models,
        .binding = binding};
    int status = csv_reader_load(&r.csv, path, read_plan_row, &r);
    rows->has_shapes = csv_reader_has(&r.csv, "shape_fraction");
    arena_adopt(binding->arena, &texts.arena);
    intern_finish(&texts);
    return status;
}

void plan_rows_finish(struct plan_rows *rows) {
    free(rows->rows.at);
}
