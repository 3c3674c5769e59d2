/* Power-limit levels of configurations: see level.h. */
#include "model/level.h"

#include <math.h>

/* How far a measured place is from a configuration: another span weighs most, then k, then batch
 * (as ratios). */
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

struct level_ratios level_ratios_of(const struct power_limits *limits,
                                    const struct power_level *level,
                                    const struct easim_config *config, uint32_t span) {
    const struct power_level_point *p = nearest_point(limits, level, config, (int)span);
    return (struct level_ratios){fmax(1, p ? p->time_ratio : level->time_ratio),
                                 fmin(1, p ? p->power_ratio : level->power_ratio)};
}

struct easim_config level_apply(const struct power_limits *limits, const struct power_level *level,
                                const struct easim_config *unlimited) {
    struct easim_config c = *unlimited;
    c.power_limit_w = level->power_limit_w;
    for (uint32_t span = EASIM_ONE_NODE; span < c.span_count; span++) {
        const struct level_ratios ratios = level_ratios_of(limits, level, unlimited, span);
        c.goodput[span] /= ratios.time;
        c.power_w[span] = fmin(level->power_limit_w, c.power_w[span] * ratios.power);
    }
    return c;
}
