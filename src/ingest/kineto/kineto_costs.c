/* Alpha and beta of collectives from the time of the rank that came last: the others' times include
 * waiting. */
#include "ingest/kineto/kineto_ranks.h"

#include <gsl/gsl_heapsort.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BYTES_PER_MIB 1048576.0

struct point {
    uint32_t cost; /* number of collective and group size */
    double mib, us;
};

struct points {
    ARRAY_OF(struct point) points;
    struct intern keys;
};

/* Names of collectives are kept once each, so that pointers tell them apart. */
struct key {
    const char *collective;
    int64_t group_size;
};

static void add_point(struct points *points, struct kineto_costs *costs,
                      const struct kineto_kind *kind, int64_t duration_ns, bool has_waiting) {
    bool is_new;
    if (!kind->collective || isnan(kind->bytes))
        return;
    const struct key key = {kind->collective, kind->group_size};
    uint32_t number = intern(&points->keys, &key, sizeof key, &is_new);
    if (is_new)
        *array_add(&costs->costs) = (struct kineto_cost){.collective = kind->collective,
                                                         .group_size = kind->group_size,
                                                         .has_waiting = has_waiting};
    array_push(&points->points,
               ((struct point){number, kind->bytes / BYTES_PER_MIB, (double)duration_ns / 1000}));
}

ORDER_BY(point_by_size, struct point, ASC(cost) ASC(mib) ASC(us))

/* The shortest of each size; points are ordered by size. */
static size_t keep_shortest(struct point *points, size_t count) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (i == 0 || points[i].mib != points[kept - 1].mib)
            points[kept++] = points[i];
    return kept;
}

static void fit_cost(struct kineto_cost *cost, const struct point *points, size_t count) {
    double x = 0, y = 0, xx = 0, xy = 0, yy = 0, n = (double)count;
    for (size_t i = 0; i < count; i++) {
        cost->sizes += i == 0 || points[i].mib != points[i - 1].mib;
        x += points[i].mib / n;
        y += points[i].us / n;
    }
    cost->points = count;
    cost->alpha_us = cost->beta_us_per_mib = cost->r_squared = NAN;
    if (cost->sizes < 2)
        return;
    for (size_t i = 0; i < count; i++) {
        double dx = points[i].mib - x, dy = points[i].us - y;
        xx += dx * dx;
        xy += dx * dy;
        yy += dy * dy;
    }
    cost->beta_us_per_mib = xy / xx;
    cost->alpha_us = y - cost->beta_us_per_mib * x;
    cost->r_squared = yy > 0 ? fmin(xy * xy / (xx * yy), 1) : NAN; /* rounding may pass 1 */
}

static void add_last_arrivals(struct points *points, struct kineto_costs *costs,
                              const struct kineto_ranks *ranks) {
    for (size_t i = 0; i < ranks->collectives.count; i++) {
        const struct kineto_collective *c = &ranks->collectives.at[i];
        for (size_t p = c->first; p < c->first + c->count; p++) {
            struct kineto_event event = kineto_part_event(ranks, p);
            if (ranks->parts.at[p].rank == c->last_rank)
                add_point(points, costs, &ranks->kinds->all.at[event.kind],
                          event.end_ns - event.start_ns, false);
        }
    }
}

/* The shortest of each kind: only the shortest of each size count. */
static void add_shortest(struct points *points, struct kineto_costs *costs,
                         const struct kineto_ranks *ranks) {
    const struct kineto_trace *trace = &ranks->traces[0];
    int64_t *shortest = mem_alloc(ranks->kinds->all.count * sizeof *shortest);
    for (size_t k = 0; k < ranks->kinds->all.count; k++)
        shortest[k] = INT64_MAX;
    for (size_t i = 0; i < trace->events.count; i++) {
        const struct kineto_event *event = &trace->events.at[i];
        int64_t duration_ns = event->end_ns - event->start_ns;
        shortest[event->kind] =
            duration_ns < shortest[event->kind] ? duration_ns : shortest[event->kind];
    }
    for (size_t k = 0; k < ranks->kinds->all.count; k++)
        if (shortest[k] != INT64_MAX)
            add_point(points, costs, &ranks->kinds->all.at[k], shortest[k], true);
    free(shortest);
}

void kineto_costs_init(struct kineto_costs *costs, const struct kineto_ranks *ranks) {
    struct points all = {0};
    *costs = (struct kineto_costs){0};
    if (ranks->count == 1)
        add_shortest(&all, costs, ranks);
    else
        add_last_arrivals(&all, costs, ranks);
    struct point *points = all.points.at;
    gsl_heapsort(points, all.points.count, sizeof *points, point_by_size);
    for (size_t first = 0, end; first < all.points.count; first = end) {
        for (end = first; end < all.points.count && points[end].cost == points[first].cost;)
            end++;
        struct kineto_cost *cost = &costs->costs.at[points[first].cost];
        fit_cost(cost, points + first,
                 cost->has_waiting ? keep_shortest(points + first, end - first) : end - first);
    }
    free(points);
    intern_finish(&all.keys);
}

void kineto_costs_finish(struct kineto_costs *costs) {
    free(costs->costs.at);
    *costs = (struct kineto_costs){0};
}
