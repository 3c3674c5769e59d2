/* Tables of measured inference: see inference.h. Invariant: tables and curves are in the order of
   the sorted rows, their left-out points in that of the tables. */
#include "calibrate/inference.h"

#include "model/gpu_value.h"
#include "model/model_file.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOVED 0.1 /* of a pooled figure, relatively: beyond, its point is named */

const char *const inference_quantity_names[INFERENCE_QUANTITIES] = {
    INFERENCE_QUANTITY_ROWS(NAME_OF)};

static double place_of(const struct inference_row *row) {
    if (!inference_row_is_serving(row))
        return row->batch;
    return isnan(row->limit) ? row->running : row->limit;
}

static int compare_tables(const struct inference_row *a, const struct inference_row *b) {
    int by_model = strcmp(a->model, b->model);
    int by_kind = by_model ? by_model : inference_row_is_serving(a) - inference_row_is_serving(b);
    return by_kind ? by_kind : strcmp(a->gpu, b->gpu);
}

ORDER_BY(compare_inference_rows, struct inference_row,
         THEN(compare_tables(a, b)) ASC(k) THEN(COMPARE(place_of(a), place_of(b))) ASC(line))

double left_out_error(double found, double measured) {
    return fabs(found / measured - 1);
}

/* ---- Generation ---- */

/* The inner points of each k, each from its neighbours of the same k. */
static void leave_out_generation(struct inference *inference, struct generation_table *g) {
    struct interpolation_point *spare = mem_zalloc(g->table.count, sizeof *spare);
    const struct interpolation_point *all = g->table.points;
    g->first_left_out = inference->generation_errors.count;
    for (size_t first = 0, end; first < g->table.count; first = end) {
        for (end = first + 1; end < g->table.count && all[end].k == all[first].k; end++)
            continue;
        for (size_t i = first + 1; i + 1 < end; i++) {
            struct interpolation others = {spare, end - first - 1, g->table.by_energy};
            struct interpolation_value value;
            memcpy(spare, all + first, (i - first) * sizeof *spare);
            memcpy(spare + (i - first), all + i + 1, (end - i - 1) * sizeof *spare);
            struct left_out_point point = {g->model, g->gpu, (uint32_t)all[i].k,
                                           (double)all[i].k * all[i].batch, .error = {0}};
            for (int q = OF_P50; q < INFERENCE_QUANTITIES; q++)
                point.error[q] = NAN;
            if (!interpolation_find(&others, (uint32_t)all[i].k, all[i].batch, EASIM_ONE_NODE,
                                    &value))
                continue;
            point.error[OF_SPEED] =
                left_out_error(point.at / value.iteration_s, all[i].throughput_samples_s);
            point.error[OF_POWER] = left_out_error(value.power_w, all[i].power_w_per_gpu);
            array_push(&inference->generation_errors, point);
        }
    }
    g->left_out_count = inference->generation_errors.count - g->first_left_out;
    free(spare);
}

static void add_generation(struct inference *inference, const struct inference_row *rows,
                           size_t count) {
    struct interpolation_point *points = arena_alloc(inference->arena, count * sizeof *points);
    struct generation_table g = {.model = rows->model, .gpu = rows->gpu, .rows = count};
    size_t used = 0;
    for (size_t i = 0, end; i < count; i = end) {
        struct interpolation_point *p = &points[used++];
        *p = (struct interpolation_point){.k = rows[i].k, .batch = rows[i].batch};
        for (end = i; end < count && rows[end].k == rows[i].k && rows[end].batch == rows[i].batch;
             end++) {
            p->throughput_samples_s += rows[end].per_s;
            p->power_w_per_gpu += rows[end].power_w;
            g.evidence = rows[end].evidence > g.evidence ? rows[end].evidence : g.evidence;
        }
        p->throughput_samples_s /= (double)(end - i);
        p->power_w_per_gpu /= (double)(end - i);
    }
    g.table = (struct interpolation){points, used, .by_energy = true};
    leave_out_generation(inference, &g);
    array_push(&inference->generations, g);
}

/* ---- Serving ---- */

static struct serving_table copy_table(const struct serving_table *from, struct arena *arena) {
    struct serving_point *points = arena_alloc(arena, from->count * sizeof *points);
    memcpy(points, from->points, from->count * sizeof *points);
    return (struct serving_table){points, from->count};
}

/* The inner points, each at its own running batch from a table of the others. */
static void leave_out_serving(struct inference *inference, struct serving_curve *curve) {
    const struct serving_point *all = curve->raw.points;
    size_t count = curve->raw.count;
    struct serving_point *spare = mem_zalloc(count, sizeof *spare);
    curve->first_left_out = inference->serving_errors.count;
    for (size_t i = 1; i + 1 < count; i++) {
        struct serving_table others = {spare, count - 1};
        memcpy(spare, all, i * sizeof *spare);
        memcpy(spare + i, all + i + 1, (count - i - 1) * sizeof *spare);
        serving_table_pool(&others);
        struct left_out_point point = {curve->model, curve->gpu, curve->k,
                                       isnan(all[i].limit) ? all[i].n : all[i].limit, .error = {0}};
        point.error[OF_SPEED] = left_out_error(serving_table_rate(&others, all[i].n), all[i].per_s);
        point.error[OF_POWER] =
            left_out_error(serving_table_power_w(&others, all[i].n, NAN), all[i].power_w);
        for (int q = 0; q < SERVING_QUANTILES; q++)
            point.error[OF_P50 + q] = left_out_error(
                serving_table_latency_ms(&others, all[i].n, (enum serving_quantile)q),
                all[i].latency_ms[q]);
        array_push(&inference->serving_errors, point);
    }
    curve->left_out_count = inference->serving_errors.count - curve->first_left_out;
    free(spare);
}

/* The mean of rows of one limit. */
static struct serving_point mean_point(const struct inference_row *rows, size_t count) {
    struct serving_point p = {.limit = rows->limit};
    for (size_t i = 0; i < count; i++) {
        p.n += rows[i].running / (double)count;
        p.per_s += rows[i].per_s / (double)count;
        p.power_w += rows[i].power_w * rows[i].k / (double)count;
        for (int q = 0; q < SERVING_QUANTILES; q++)
            p.latency_ms[q] += rows[i].latency_ms[q] / (double)count;
    }
    return p;
}

/* A point whose n is not below that of a higher limit is dropped: the higher limit is kept. */
static void add_curve(struct inference *inference, const struct inference_row *rows, size_t count) {
    struct serving_point *points = arena_alloc(inference->arena, count * sizeof *points);
    struct serving_curve curve = {.model = rows->model,
                                  .gpu = rows->gpu,
                                  .prompt = rows->prompt,
                                  .unit = rows->unit,
                                  .k = rows->k,
                                  .rows = count};
    size_t used = 0;
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i; end < count && place_of(&rows[end]) == place_of(&rows[i]); end++)
            curve.evidence =
                rows[end].evidence > curve.evidence ? rows[end].evidence : curve.evidence;
        struct serving_point p = mean_point(&rows[i], end - i);
        for (; used > 0 && points[used - 1].n >= p.n; used--)
            curve.dropped++;
        points[used++] = p;
    }
    curve.raw = (struct serving_table){points, used};
    curve.pooled = copy_table(&curve.raw, inference->arena);
    serving_table_pool(&curve.pooled);
    leave_out_serving(inference, &curve);
    array_push(&inference->curves, curve);
}

bool serving_curve_moved(const struct serving_curve *curve, size_t point) {
    const struct serving_point *raw = &curve->raw.points[point];
    const struct serving_point *pooled = &curve->pooled.points[point];
    bool moved = left_out_error(pooled->per_s, raw->per_s) > MOVED;
    for (int q = 0; q < SERVING_QUANTILES; q++)
        moved |= left_out_error(pooled->latency_ms[q], raw->latency_ms[q]) > MOVED;
    return moved;
}

/* ---- All ---- */

void inference_make(struct inference *inference, struct inference_row *rows, size_t count,
                    struct arena *arena) {
    *inference = (struct inference){.arena = arena};
    sort_array(rows, count, compare_inference_rows);
    for (size_t i = 0, end; i < count; i = end) {
        bool serving = inference_row_is_serving(&rows[i]);
        for (end = i + 1; end < count && compare_tables(&rows[i], &rows[end]) == 0 &&
                          (!serving || rows[i].k == rows[end].k);
             end++)
            continue;
        if (serving)
            add_curve(inference, &rows[i], end - i);
        else
            add_generation(inference, &rows[i], end - i);
    }
}

void inference_finish(struct inference *inference) {
    free(inference->generations.at);
    free(inference->curves.at);
    free(inference->generation_errors.at);
    free(inference->serving_errors.at);
}

struct left_out_summary left_out_summarise(const struct left_out_points *points, size_t first,
                                           size_t count, enum inference_quantity quantity) {
    struct left_out_summary summary = {
        .worst = points->count, .median = NAN, .mean = 0, .p90 = NAN, .most = NAN};
    double *errors = mem_zalloc(count, sizeof *errors);
    for (size_t i = first; i < first + count; i++) {
        double error = points->at[i].error[quantity];
        if (isnan(error))
            continue;
        errors[summary.count++] = error;
        summary.mean += error;
        if (!(error <= summary.most)) {
            summary.most = error;
            summary.worst = i;
        }
    }
    gsl_sort(errors, 1, summary.count);
    summary.mean /= (double)summary.count;
    if (summary.count > 0) {
        summary.median = gsl_stats_quantile_from_sorted_data(errors, 1, summary.count, 0.5);
        summary.p90 = gsl_stats_quantile_from_sorted_data(errors, 1, summary.count, 0.9);
    }
    free(errors);
    return summary;
}

/* --- inference_check --- */

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
