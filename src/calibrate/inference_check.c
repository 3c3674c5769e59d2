/* Predictions of rows of inference: see inference_check.h. */
#include "calibrate/inference_check.h"

#include "model/gpu_value.h"
#include "model/model_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct serving *find_table(const struct model *model,
                                        const struct inference_row *row) {
    const struct serving *tables = model->serving.tables.at;
    for (size_t i = 0; i < model->serving.tables.count; i++)
        if (strcmp(tables[i].gpu, row->gpu) == 0 && tables[i].k == row->k)
            return &tables[i];
    return NULL;
}

/* Whether the table reaches the row. Below its first point power is known if loaded_w is. */
static bool predict_serving(const struct serving *serving, const struct inference_row *row,
                            double error[static INFERENCE_QUANTITIES]) {
    const struct serving_table *table = &serving->table;
    double n = row->running;
    if (n > table->points[table->count - 1].n)
        return false;
    error[OF_SPEED] = left_out_error(serving_table_rate(table, n), row->per_s);
    error[OF_POWER] =
        left_out_error(serving_table_power_w(table, n, serving->loaded_w), row->power_w * row->k);
    for (int q = 0; q < SERVING_QUANTILES; q++)
        error[OF_P50 + q] = left_out_error(
            serving_table_latency_ms(table, n, (enum serving_quantile)q), row->latency_ms[q]);
    return true;
}

static bool predict_generation(const struct gpu_model *gpu_model, const struct inference_row *row,
                               double error[static INFERENCE_QUANTITIES]) {
    struct interpolation_value value;
    if (!gpu_value_find(gpu_model, row->k, row->batch, 1, &value))
        return false;
    error[OF_SPEED] = left_out_error(row->k * row->batch / value.iteration_s, row->per_s);
    error[OF_POWER] =
        gpu_model->power_form == POWER_TDP ? NAN : left_out_error(value.power_w, row->power_w);
    for (int q = OF_P50; q < INFERENCE_QUANTITIES; q++)
        error[q] = NAN;
    return true;
}

static void check_row(struct inference_check *check, const struct inference_row *row,
                      const struct model_set *models) {
    const bool serves = inference_row_is_serving(row);
    const int found = model_set_find(models, row->model);
    const struct model *model = found < 0 ? NULL : &models->models[found];
    const struct serving *table = model && serves ? find_table(model, row) : NULL;
    const struct gpu_model *gpu_model = model && !serves ? model_on_gpu(model, row->gpu) : NULL;
    struct left_out_point point = {row->model, row->gpu, row->k,
                                   serves && !isnan(row->limit) ? row->limit
                                   : serves                     ? row->running
                                                                : row->k * row->batch,
                                   .error = {0}};
    struct left_out_points *points = serves ? &check->serving : &check->generation;
    check->rows[serves]++;
    if (!table && !gpu_model)
        check->no_table[serves]++;
    else if (model->serving.unit != (int32_t)row->unit)
        check->other_unit[serves]++;
    else if (table ? !predict_serving(table, row, point.error)
                   : !predict_generation(gpu_model, row, point.error))
        check->outside[serves]++;
    else
        array_push(points, point);
}

void inference_check_rows(struct inference_check *check, const struct inference_row *rows,
                          size_t count, const struct model_set *models) {
    for (size_t i = 0; i < count; i++)
        check_row(check, &rows[i], models);
}

void inference_check_finish(struct inference_check *check) {
    free(check->generation.at);
    free(check->serving.at);
}
