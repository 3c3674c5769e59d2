/* Time and power by formula or table: see gpu_value.h. */
#include "model/gpu_value.h"

#include "model/batches.h"
#include "model/laws.h"

#include <math.h>
#include <stdlib.h>

/* Where (k, b) stands, and which points may answer for it. */
struct step_place {
    uint32_t k, nodes;
    bool stand_in; /* those in one node, too */
};

/* One step, or an iteration without accumulation. */
static bool find_step(const struct gpu_model *g, const struct step_place *at, double batch,
                      struct interpolation_value *value) {
    enum easim_span span = at->nodes > 1 ? EASIM_ACROSS_NODES : EASIM_ONE_NODE;
    struct interpolation_value measured = {NAN, NAN};
    if (g->lookup.count > 0 &&
        !(at->stand_in ? interpolation_stand_in(&g->lookup, at->k, batch, &measured)
                       : interpolation_find(&g->lookup, at->k, batch, span, &measured)))
        return false;
    value->iteration_s = g->lookup_speed ? measured.iteration_s
                                         : speed_iteration_s(&g->speed, at->k, batch, at->nodes);
    value->power_w = g->lookup_power
                         ? measured.power_w
                         : power_training_w(&g->power, g->speed.c_s,
                                            speed_rate(1, batch, value->iteration_s), INFINITY);
    return true;
}

static bool find_iteration(const struct gpu_model *g, const struct step_place *at, double batch,
                           struct interpolation_value *value) {
    double steps = batches_steps(g, at->k, batch);
    /* A measured point is of whole iterations. */
    bool measured =
        (at->nodes > 1 && interpolation_has(&g->lookup, at->k, batch, EASIM_ACROSS_NODES)) ||
        ((at->nodes == 1 || at->stand_in) &&
         interpolation_has(&g->lookup, at->k, batch, EASIM_ONE_NODE));
    steps = measured ? 1 : steps;
    if (!find_step(g, at, batch / steps, value))
        return false;
    value->iteration_s *= steps;
    return true;
}

bool gpu_value_find(const struct gpu_model *gpu_model, uint32_t k, double batch, uint32_t nodes,
                    struct interpolation_value *value) {
    return find_iteration(gpu_model, &(struct step_place){k, nodes, false}, batch, value);
}

bool gpu_value_stand_in(const struct gpu_model *gpu_model, uint32_t k, double batch, uint32_t nodes,
                        struct interpolation_value *value) {
    return find_iteration(gpu_model, &(struct step_place){k, nodes, true}, batch, value);
}

bool gpu_value_is_outside_k(const struct gpu_model *gpu_model, uint32_t k) {
    const int64_t *ends = gpu_model->range_k.at;
    return gpu_model->range_k.count != 2 || k < ends[0] || k > ends[1];
}

bool gpu_value_is_outside(const struct gpu_model *gpu_model, uint32_t k, double batch) {
    const double *batch_ends = gpu_model->range_batch.at;
    return gpu_value_is_outside_k(gpu_model, k) || gpu_model->range_batch.count != 2 ||
           batch * BATCH_EQUAL < batch_ends[0] || batch > batch_ends[1] * BATCH_EQUAL;
}

struct gpu_model gpu_value_slowed(const struct gpu_model *gpu_model, double factor) {
    struct gpu_model slowed = *gpu_model;
    slowed.speed.alpha_s[EASIM_ACROSS_NODES] *= factor;
    slowed.speed.beta_s[EASIM_ACROSS_NODES] *= factor;
    slowed.links.network_bytes_s /= factor;
    return slowed;
}

double gpu_value_most_w(const struct gpu_model *gpu_model, double tdp_w) {
    if (gpu_model->power_form == POWER_TDP)
        return tdp_w;
    double most_w =
        gpu_model->lookup_power ? 0 : fmax(gpu_model->power.p0_w, gpu_model->power.pmax_w);
    for (size_t i = 0; gpu_model->lookup_power && i < gpu_model->lookup.count; i++)
        most_w = fmax(most_w, gpu_model->lookup.points[i].power_w_per_gpu);
    return most_w;
}

/* --- span_value --- */

bool span_value_is_as_below(const struct network *network, const struct gpu_model *gpu_model,
                            uint32_t k, uint32_t span) {
    if (span == EASIM_ONE_NODE || k == 1)
        return span != EASIM_ONE_NODE && gpu_model->lookup.count == 0;
    return span > EASIM_ACROSS_NODES &&
           network_slowdown(network, span) == network_slowdown(network, span - 1);
}

bool span_value_find(const struct cluster *cluster, const struct gpu_model *gpu_model,
                     const struct easim_config *config, uint32_t span, bool *stands_in,
                     struct interpolation_value *value) {
    const struct gpu_type *type = &cluster->gpu_types[config->gpu_type];
    double factor = network_slowdown(&cluster->network, span);
    uint32_t node_gpus = type->node_gpus_max > 0 ? type->node_gpus_max : 1;
    uint32_t nodes = speed_nodes(config->k, node_gpus, span);
    struct gpu_model slowed;
    if (factor != 1) {
        slowed = gpu_value_slowed(gpu_model, factor);
        gpu_model = &slowed;
    }
    if (gpu_value_find(gpu_model, config->k, config->batch, nodes, value))
        return true;
    if (span == EASIM_ONE_NODE || config->k <= type->node_gpus_max)
        return false;
    return *stands_in = gpu_value_stand_in(gpu_model, config->k, config->batch, nodes, value);
}

/* --- level --- */

size_t limit_law_choices(const struct gpu_type *type, double limits_w[static LIMIT_CHOICES]) {
    const struct limit_law *law = &type->limit_law;
    double floor_w = cluster_floor_w(type), least = limit_law_speed(law, floor_w / type->tdp_w);
    size_t count = 0;
    for (int i = 0; i < LIMIT_CHOICES; i++) {
        double speed = least + (1 - least) * i / LIMIT_CHOICES;
        double limit_w = fmax(floor_w, type->tdp_w * limit_law_draw(law, speed));
        if (limit_w < type->tdp_w && (count == 0 || limit_w > limits_w[count - 1]))
            limits_w[count++] = limit_w;
    }
    return count;
}

struct easim_config limit_law_apply(const struct gpu_type *type, double limit_w,
                                    const struct easim_config *unlimited) {
    const struct limit_law *law = &type->limit_law;
    struct easim_config c = *unlimited;
    c.power_limit_w = limit_w;
    for (uint32_t span = EASIM_ONE_NODE; span < c.span_count; span++) {
        double power_w = unlimited->power_w[span];
        c.power_w[span] = fmin(power_w, fmax(limit_w, limit_law_least(law) * power_w));
        if (power_w > 0)
            c.goodput[span] *= limit_law_speed(law, c.power_w[span] / power_w);
    }
    return c;
}

/* How far a measured place is from a configuration: first by span, then k, then batch (ratios). */
struct distance {
    bool other_span;
    double k, batch;
};

static struct distance distance_to(const struct power_level_point *point,
                                   const struct easim_config *config, int span) {
    return (struct distance){point->across_nodes != (span != EASIM_ONE_NODE),
                             fabs(log((double)point->k / config->k)),
                             fabs(log(point->batch / config->batch))};
}

static bool is_nearer(const struct distance *a, const struct distance *b) {
    if (a->other_span != b->other_span)
        return b->other_span;
    return a->k != b->k ? a->k < b->k : a->batch < b->batch;
}

/* The nearest point of the level that states its ratios (equal distance: the first), or NULL. */
static const struct power_level_point *nearest_point(const struct power_limits *limits,
                                                     const struct power_level *level,
                                                     const struct easim_config *config, int span) {
    const struct power_level_point *points = limits->points.at, *best = NULL;
    struct distance least = {true, INFINITY, INFINITY};
    for (size_t i = 0; i < limits->points.count; i++) {
        struct distance d = distance_to(&points[i], config, span);
        if (points[i].power_limit_w != level->power_limit_w || isnan(points[i].time_ratio) ||
            isnan(points[i].power_ratio) || !(best == NULL || is_nearer(&d, &least)))
            continue;
        best = &points[i];
        least = d;
    }
    return best;
}

/* What was measured of a configuration in a span, monotone, with no limit last; to be freed. */
static struct limit_point *settled_points(const struct power_limits *limits, double tdp_w,
                                          const struct easim_config *config, uint32_t span,
                                          uint32_t *ret_count) {
    const struct power_level *levels = limits->levels.at;
    struct limit_point *points = mem_alloc((limits->levels.count + 1) * sizeof *points);
    uint32_t count = 0;
    for (size_t l = 0; l < limits->levels.count && levels[l].power_limit_w < tdp_w; l++) {
        const struct power_level_point *p = nearest_point(limits, &levels[l], config, (int)span);
        points[count++] = (struct limit_point){levels[l].power_limit_w,
                                               p ? p->power_ratio : levels[l].power_ratio,
                                               1 / (p ? p->time_ratio : levels[l].time_ratio)};
    }
    points[count++] = (struct limit_point){tdp_w, 1, 1};
    limit_table_settle(points, count);
    *ret_count = count;
    return points;
}

/* Never faster than without a limit, and never more power. */
static struct limit_point clamped_at(const struct limit_point *points, size_t count,
                                     double limit_w) {
    struct limit_point at = limit_table_at(points, count, limit_w);
    return (struct limit_point){limit_w, fmin(1, at.draw), fmin(1, at.speed)};
}

struct limit_point level_point(const struct power_limits *limits, double tdp_w, double limit_w,
                               const struct easim_config *config, uint32_t span) {
    uint32_t count;
    struct limit_point *points = settled_points(limits, tdp_w, config, span, &count);
    struct limit_point at = clamped_at(points, count, limit_w);
    free(points);
    return at;
}

struct easim_config level_apply(const struct power_limits *limits, const struct gpu_type *type,
                                double limit_w, const struct easim_config *unlimited) {
    struct easim_config c = *unlimited;
    if (!limits || limits->levels.count == 0)
        return limit_law_apply(type, limit_w, unlimited);
    c.power_limit_w = limit_w;
    for (uint32_t span = EASIM_ONE_NODE; span < c.span_count; span++) {
        const struct limit_point at = level_point(limits, type->tdp_w, limit_w, unlimited, span);
        c.goodput[span] *= at.speed;
        c.power_w[span] *= at.draw;
    }
    return c;
}

/* --- limit_curve --- */
/* Of measured points both draw and speed of the last, no limit, are at least 1: whatever it was
   pooled with was more. */

void limit_curve_init(struct limit_curve *curve, const struct power_limits *limits,
                      const struct gpu_type *type, const struct easim_config *unlimited,
                      uint32_t span) {
    *curve = (struct limit_curve){.unlimited_w = unlimited->power_w[span],
                                  .least_limit_w = cluster_floor_w(type),
                                  .most_limit_w = type->tdp_w,
                                  .law = type->limit_law};
    if (!limits || limits->levels.count == 0)
        return;
    curve->points = settled_points(limits, type->tdp_w, unlimited, span, &curve->count);
    curve->least_limit_w = fmax(type->floor_w, curve->points[0].limit_w);
}

void limit_curve_finish(struct limit_curve *curve) {
    free(curve->points);
    *curve = (struct limit_curve){0};
}

double limit_curve_draw_w(const struct limit_curve *curve, double limit_w) {
    double power_w = curve->unlimited_w;
    limit_w = fmin(curve->most_limit_w, fmax(curve->least_limit_w, limit_w));
    if (curve->count == 0)
        return fmin(power_w, fmax(limit_w, limit_law_least(&curve->law) * power_w));
    return power_w * clamped_at(curve->points, curve->count, limit_w).draw;
}

double limit_curve_least_w(const struct limit_curve *curve) {
    return limit_curve_draw_w(curve, curve->least_limit_w);
}

double limit_curve_speed(const struct limit_curve *curve, double draw_w) {
    double power_w = curve->unlimited_w;
    draw_w = fmax(draw_w, limit_curve_least_w(curve));
    if (draw_w >= power_w)
        return 1;
    if (curve->count == 0)
        return limit_law_speed(&curve->law, draw_w / power_w);
    const struct limit_point *below = &curve->points[curve->count - 1];
    while (power_w * below->draw > draw_w)
        below--;
    double from_w = power_w * below[0].draw, to_w = power_w * below[1].draw;
    double share = (draw_w - from_w) / (to_w - from_w);
    return fmin(1, below[0].speed + share * (below[1].speed - below[0].speed));
}

static double table_draw(const struct limit_point *points, double speed) {
    const struct limit_point *to = points;
    while (to->speed < speed)
        to++;
    if (to == points)
        return to->draw;
    double share = (speed - to[-1].speed) / (to->speed - to[-1].speed);
    return to[-1].draw + share * (to->draw - to[-1].draw);
}

double limit_curve_draw_at_speed_w(const struct limit_curve *curve, double speed) {
    double draw = curve->count == 0 ? limit_law_draw(&curve->law, speed)
                                    : table_draw(curve->points, fmin(1, speed));
    return fmin(curve->unlimited_w, fmax(limit_curve_least_w(curve), draw * curve->unlimited_w));
}

double limit_curve_best_w(const struct limit_curve *curve, double most_w) {
    double best = limit_law_best(&curve->law), least_energy = INFINITY;
    for (uint32_t i = 0; i < curve->count; i++) {
        double draw = fmin(1, curve->points[i].draw),
               energy = draw / fmin(1, curve->points[i].speed);
        if (energy < least_energy) {
            least_energy = energy;
            best = draw;
        }
    }
    return fmin(most_w, fmax(limit_curve_least_w(curve), best * curve->unlimited_w));
}
