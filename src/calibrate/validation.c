/* Predictions of model files: see validation.h. */
#include "calibrate/validation.h"

#include "io/csv.h"
#include "model/gpu_value.h"

#include <math.h>
#include <stdlib.h>

static struct prediction predict_by_model(const struct gpu_model *gpu_model, struct place at) {
    struct interpolation_value value;
    if (!gpu_value_find(gpu_model, at.k, at.batch, form_nodes(at), &value))
        return (struct prediction){NAN, NAN};
    return (struct prediction){speed_rate(1, at.batch, value.iteration_s),
                               gpu_model->power_form == POWER_TDP ? NAN : value.power_w};
}

void validation_make(struct validation *validation, const struct profile_group *group,
                     const struct model_set *models) {
    *validation = (struct validation){.group = group};
    points_of_group(&validation->points, group);
    size_t n = validation->points.at.count;
    validation->predictions = mem_alloc(n * sizeof *validation->predictions);
    int model = model_set_find(models, group->model);
    const struct gpu_model *g = model < 0 ? NULL : model_on_gpu(&models->models[model], group->gpu);
    for (size_t i = 0; i < n; i++)
        validation->predictions[i] =
            g ? predict_by_model(g, validation->points.at.at[i].at) : (struct prediction){NAN, NAN};
    validation->by_table = g && g->lookup_speed;
    validation->scores = score_all(&validation->points, validation->predictions);
    if (model < 0)
        validation->missing = "no such model in the file";
    else if (!g)
        validation->missing = "the model does not know this GPU type";
    else if (validation->scores.points[THROUGHPUT] == 0)
        validation->missing = "every row is outside the lookup table";
}

void validation_finish(struct validation *validation) {
    points_finish(&validation->points);
    free(validation->predictions);
}

void points_write_header(struct str *out) {
    str_add(
        out,
        "model,gpu,k,across_nodes,batch_per_gpu,throughput_samples_s,throughput_model,power_w_per_gpu,power_model,energy_j_per_sample,energy_model,line,predicted_by\n");
}

void points_write(struct str *out, const struct profile_group *group, const struct points *points,
                  const struct prediction *predictions, bool by_table) {
    for (size_t i = 0; i < points->at.count; i++) {
        const struct point *m = &points->at.at[i];
        const struct prediction *p = &predictions[i];
        csv_add_text(out, group->model);
        csv_comma_text(out, group->gpu);
        str_addf(out, ",%u,%d", m->at.k, m->at.span == EASIM_ACROSS_NODES);
        csv_comma_real(out, m->at.batch);
        csv_comma_real(out, m->rate * m->at.k);
        csv_comma_real(out, p->rate * m->at.k);
        csv_comma_real(out, m->power_w);
        csv_comma_real(out, p->power_w);
        csv_comma_real(out, m->power_w / m->rate);
        csv_comma_real(out, p->power_w / p->rate);
        str_addf(out, ",%u,%s\n", m->row->line, isnan(p->rate) ? "" : by_table ? "table" : "form");
    }
}

/* --- limits --- */

/* A configuration: the mean of its rows with power. */
struct cell {
    const struct profile_point *row;
    double iteration_s, power_w;
};

struct cells {
    ARRAY_OF(struct cell) at;
};

/* Rows [begin, end) of one limit, ordered by place. */
static void cells_of_rows(struct cells *cells, const struct profile_point *begin,
                          const struct profile_point *end) {
    cells->at.count = 0;
    while (begin < end) {
        const struct profile_point *first = begin;
        double rate = 0, power_w = 0, n = 0;
        for (; begin < end && profile_compare_places(first, begin) == 0; begin++)
            if (!isnan(begin->power_w)) {
                rate += begin->throughput_samples_s;
                power_w += begin->power_w;
                n++;
            }
        if (n > 0)
            array_push(
                &cells->at,
                ((struct cell){first, (double)first->k * first->batch / (rate / n), power_w / n}));
    }
}

static double ratio_of(const struct power_level_point *point, enum limit_quantity quantity) {
    return quantity == LIMIT_TIME    ? point->time_ratio
           : quantity == LIMIT_POWER ? point->power_ratio
                                     : point->time_ratio * point->power_ratio;
}

/* Of the points from `first` on, all of one level. */
static struct limit_errors errors_of(const struct limits *limits, size_t first) {
    struct limit_errors errors = {{NAN, NAN, NAN}};
    size_t count = limits->points.count - first;
    for (int q = 0; q < LIMIT_QUANTITIES && count > 1; q++) {
        double sum = 0, error = 0, n = (double)count;
        for (size_t i = first; i < limits->points.count; i++)
            sum += ratio_of(&limits->points.at[i], (enum limit_quantity)q);
        for (size_t i = first; i < limits->points.count; i++) {
            double own = ratio_of(&limits->points.at[i], (enum limit_quantity)q);
            error += fabs((sum - own) / (n - 1) / own - 1);
        }
        errors.left_out[q] = error / n;
    }
    return errors;
}

static void add_level(struct limits *limits, const struct cells *base, const struct cells *here,
                      double limit_w) {
    struct power_level level = {.power_limit_w = limit_w};
    size_t first = limits->points.count;
    for (size_t b = 0, h = 0; b < base->at.count && h < here->at.count;) {
        const struct cell *from = &base->at.at[b], *to = &here->at.at[h];
        int order = profile_compare_places(from->row, to->row);
        b += order <= 0;
        h += order >= 0;
        if (order != 0)
            continue;
        double time = to->iteration_s / from->iteration_s, power = to->power_w / from->power_w;
        level.time_ratio += time;
        level.power_ratio += power;
        level.energy_ratio += time * power;
        level.configurations++;
        array_push(&limits->points,
                   ((struct power_level_point){.k = to->row->k,
                                               .batch = to->row->batch,
                                               .power_limit_w = limit_w,
                                               .iteration_s = to->iteration_s,
                                               .power_w_per_gpu = to->power_w,
                                               .time_ratio = time,
                                               .power_ratio = power,
                                               .across_nodes = to->row->across_nodes}));
    }
    if (level.configurations == 0)
        return;
    level.time_ratio /= (double)level.configurations;
    level.power_ratio /= (double)level.configurations;
    level.energy_ratio /= (double)level.configurations;
    array_push(&limits->levels, level);
    array_push(&limits->errors, errors_of(limits, first));
}

static void find_optimum(struct limits *limits) {
    int64_t most = 0;
    double least = INFINITY;
    for (size_t i = 0; i < limits->levels.count; i++)
        if (limits->levels.at[i].configurations > most)
            most = limits->levels.at[i].configurations;
    for (size_t i = 0; i < limits->levels.count; i++) {
        const struct power_level *level = &limits->levels.at[i];
        if (level->configurations == most && level->energy_ratio < least) {
            least = level->energy_ratio;
            limits->energy_optimal_w = level->power_limit_w;
        }
    }
}

void limits_of_group(struct limits *limits, const struct profile_group *group) {
    const struct profile_point *rows = group->rows, *end = rows + group->count;
    struct cells base = {0}, here = {0};
    limits->energy_optimal_w = NAN;
    cells_of_rows(&base, rows, rows + group->base_count);
    /* Rows stand from the highest limit down. */
    while (end > rows && !isnan(end[-1].limit_w)) {
        const struct profile_point *begin = end - 1;
        while (begin > rows && begin[-1].limit_w == begin->limit_w)
            begin--;
        cells_of_rows(&here, begin, end);
        add_level(limits, &base, &here, begin->limit_w);
        end = begin;
    }
    find_optimum(limits);
    free(base.at.at);
    free(here.at.at);
}

void left_out_limits_finish(struct limits *limits) {
    free(limits->levels.at);
    free(limits->errors.at);
    free(limits->points.at);
}

/* --- calibration --- */

static void make_model(struct calibration *calibration, const struct profile_table *profile,
                       struct calibrated_model *model) {
    size_t most = profile->groups.count;
    model->choices = mem_zalloc(most, sizeof *model->choices);
    model->limits = mem_zalloc(most, sizeof *model->limits);
    for (size_t i = 0; i < most; i++) {
        const struct profile_group *group = &profile->groups.at[i];
        if (group->model != model->name ||
            group->unwanted) /* interned: equal texts have one address */
            continue;
        const struct choice_options how = {profile->file, calibration->options.max_form_error,
                                           node_floor_of(profile, group->gpu)};
        form_choice_make(&model->choices[model->count], group, &how, &calibration->arena);
        limits_of_group(&model->limits[model->count++], group);
    }
    target_runs_of_model(&model->runs, profile, model->name);
    if (model->runs.at.count > 0)
        model->convergence = convergence_of(&model->runs);
    model->measured_efficiency = model->runs.at.count > 0 && isnan(calibration->options.m0);
}

void calibration_make(struct calibration *calibration, const struct profile_table *profile,
                      const struct calibration_options *options) {
    calibration->options = *options;
    calibration->profile = profile->file;
    calibration->models = mem_zalloc(profile->groups.count, sizeof *calibration->models);
    for (size_t i = 0; i < profile->groups.count; i++) {
        const char *name = profile->groups.at[i].model;
        size_t known = 0;
        while (known < calibration->count && calibration->models[known].name != name)
            known++;
        if (known < calibration->count || profile->groups.at[i].unwanted)
            continue;
        struct calibrated_model *model = &calibration->models[calibration->count++];
        model->name = name;
        make_model(calibration, profile, model);
    }
}

void calibration_finish(struct calibration *calibration) {
    for (size_t m = 0; m < calibration->count; m++) {
        struct calibrated_model *model = &calibration->models[m];
        for (size_t i = 0; i < model->count; i++) {
            form_choice_finish(&model->choices[i]);
            left_out_limits_finish(&model->limits[i]);
        }
        target_runs_finish(&model->runs);
        free(model->choices);
        free(model->limits);
    }
    free(calibration->models);
    arena_finish(&calibration->arena);
}
