/* Power-limit levels: see limits.h. */
#include "calibrate/limits.h"

#include <math.h>
#include <stdlib.h>

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

void limits_finish(struct limits *limits) {
    free(limits->levels.at);
    free(limits->errors.at);
    free(limits->points.at);
}
