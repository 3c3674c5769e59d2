/* Derived power: see node_power.h. */
#include "calibrate/node_power.h"

#include <math.h>
#include <stdlib.h>

/* Above the highest mean power of a run: it has pauses, for evaluation among others. */
#define MOST_MARGIN 1.025
#define MOST_PLACES 10000 /* of a table */

static void look_at_row(struct node_floor *floor, const struct profile_point *row,
                        const char *gpu) {
    bool here = row->gpu == gpu; /* interned: equal texts have one address */
    if (isnan(row->node_floor_w) || (!here && floor->gpu == gpu))
        return;
    if ((here && floor->gpu != gpu) || !(row->node_floor_w >= floor->floor_w)) {
        floor->floor_w = row->node_floor_w;
        floor->gpu = row->gpu;
    }
}

struct node_floor node_floor_of(const struct profile_table *profile, const char *gpu) {
    struct node_floor floor = {.floor_w = NAN, .most_w = NAN};
    for (size_t i = 0; i < profile->rows.count; i++) {
        const struct profile_point *row = &profile->rows.at[i];
        look_at_row(&floor, row, gpu);
        if (row->gpu == gpu && !isnan(row->node_power_w))
            floor.most_w = fmax(floor.most_w, row->power_w);
    }
    for (size_t i = 0; i < profile->readings.count; i++)
        look_at_row(&floor, &profile->readings.at[i], gpu);
    return floor;
}

uint32_t node_power_size(const struct points *points) {
    uint32_t least = 0;
    for (size_t i = 0; i < points->at.count; i++)
        if (!isnan(points->at.at[i].power_w) && (least == 0 || points->at.at[i].at.k < least))
            least = points->at.at[i].at.k;
    return least;
}

static double share_of_floor(const struct point *point, struct node_floor floor) {
    return floor.floor_w * point->row->nodes / point->row->k;
}

void node_power_settle(const struct points *points, struct node_floor floor, struct form *form,
                       struct fit *fit) {
    uint32_t k = node_power_size(points);
    double dynamic_w = 0, use = 0, floor_w = 0, ignored[PARAM_COUNT], n = 0;
    for (size_t i = 0; i < points->at.count; i++) {
        const struct point *point = &points->at.at[i];
        if (point->at.k != k || isnan(point->power_w))
            continue;
        double here = fit->values[PARAM_C] * form_rate(fit->values, point->at, ignored);
        dynamic_w += (point->power_w - share_of_floor(point, floor)) * here;
        use += here * here;
        floor_w += share_of_floor(point, floor);
        n++;
    }
    form->power = POWER_LAW_FLOOR;
    fit->values[PARAM_P0] = floor_w / n;
    fit->values[PARAM_PMAX] = floor_w / n + dynamic_w / use;
}

/* Of the newest round that ran there; else 1. */
static double steps_at(const struct points *points, uint32_t k, double batch) {
    double steps = 1;
    uint32_t round = 0;
    for (size_t i = 0; i < points->at.count; i++) {
        const struct point *p = &points->at.at[i];
        if (p->at.k == k && p->at.batch <= batch * BATCH_EQUAL &&
            batch <= p->at.batch * BATCH_EQUAL && p->round >= round) {
            steps = p->at.steps;
            round = p->round;
        }
    }
    return steps;
}

/* Adds a number to those known, unless it is among them. */
static void add_number(double *known, size_t *count, double number) {
    for (size_t i = 0; i < *count; i++)
        if (known[i] <= number * BATCH_EQUAL && number <= known[i] * BATCH_EQUAL)
            return;
    known[(*count)++] = number;
}

/* Power at k and a batch, for both spans, unless its steps are too large. */
static void add_grid_place(const struct points *points, struct node_floor floor,
                           const struct fit *fit, uint32_t k, double batch,
                           struct interpolation *table) {
    const double *v = fit->values;
    struct place at = {.k = k, .batch = batch, .steps = steps_at(points, k, batch)};
    double ignored[PARAM_COUNT];
    if (at.batch / at.steps > points_most_step(points) * BATCH_EQUAL)
        return;
    for (int span = 0; span < 2; span++) {
        at.span = (enum easim_span)span;
        at.log2_nodes = span == 0 || !points->across_nodes
                            ? 0
                            : (k + points->gpus_per_node - 1) / points->gpus_per_node;
        double watts = form_power_w(v, form_rate(v, at, ignored));
        table->points[table->count++] =
            (struct interpolation_point){.k = k,
                                         .batch = batch,
                                         .throughput_samples_s = NAN,
                                         .power_w_per_gpu = fmin(watts, floor.most_w),
                                         .across_nodes = span == 1};
    }
}

/* The sizes and the global batches measured, each in at[0..points); their numbers. */
static void find_grid(const struct points *points, double *k, size_t *k_count, double *batches,
                      size_t *batch_count) {
    *k_count = *batch_count = 0;
    for (size_t i = 0; i < points->at.count; i++) {
        add_number(k, k_count, points->at.at[i].at.k);
        add_number(batches, batch_count, points->at.at[i].at.k * points->at.at[i].at.batch);
    }
}

bool node_power_needs_grid(const struct points *points, struct node_floor floor,
                           const struct fit *fit) {
    size_t n = points->at.count, k_count, batch_count;
    if (!(fit->values[PARAM_PMAX] > MOST_MARGIN * floor.most_w) || n > MOST_PLACES)
        return false;
    double *k = mem_alloc(n * sizeof *k), *batches = mem_alloc(n * sizeof *batches);
    find_grid(points, k, &k_count, batches, &batch_count);
    free(k);
    free(batches);
    return k_count * batch_count <= MOST_PLACES;
}

void node_power_grid(const struct points *points, struct node_floor floor, const struct fit *fit,
                     struct interpolation *table) {
    size_t n = points->at.count, k_count, batch_count;
    double *k = mem_alloc(n * sizeof *k), *batches = mem_alloc(n * sizeof *batches);
    find_grid(points, k, &k_count, batches, &batch_count);
    *table = (struct interpolation){
        .points = mem_zalloc(2 * k_count * batch_count, sizeof *table->points)};
    for (size_t i = 0; i < k_count; i++)
        for (size_t j = 0; j < batch_count; j++)
            add_grid_place(points, floor, fit, (uint32_t)k[i], batches[j] / k[i], table);
    (void)interpolation_sort(table);
    free(k);
    free(batches);
}

void node_power_fill(const struct points *points, struct node_floor floor,
                     struct interpolation *table) {
    const struct interpolation_point *from = NULL;
    double floor_w = NAN;
    uint32_t k = node_power_size(points);
    for (size_t i = 0; i < table->count; i++)
        if (!isnan(table->points[i].power_w_per_gpu) && table->points[i].k == k && !from)
            from = &table->points[i];
    for (size_t i = 0; i < points->at.count; i++)
        if (!isnan(points->at.at[i].power_w) && points->at.at[i].at.k == k)
            floor_w = share_of_floor(&points->at.at[i], floor);
    if (!from || isnan(floor_w))
        return;
    double rate = from->throughput_samples_s / (double)from->k;
    for (size_t i = 0; i < table->count; i++) {
        struct interpolation_point *p = &table->points[i];
        if (isnan(p->power_w_per_gpu))
            p->power_w_per_gpu = floor_w + (from->power_w_per_gpu - floor_w) *
                                               (p->throughput_samples_s / (double)p->k) / rate;
    }
}
