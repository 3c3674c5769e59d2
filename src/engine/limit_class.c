/* Classes of jobs under power limits: see limit_class.h. */
#include "engine/limit_class.h"

#include "cluster/power_fill.h"
#include "model/laws.h"

#include <math.h>
#include <stdlib.h>

/* Jobs with the same key share a class. */
struct class_key {
    double wish_w, flex, utilization;
    uint32_t config, span;
    bool is_sla;
};

#define MOST_TABLES 4096 /* classes with a table by steps: about 2 KiB each */

/* The configuration without a limit: it comes before those with one. */
static struct easim_config unlimited_of(const struct limit_classes *all, uint32_t config,
                                        double utilization) {
    while (all->configs[config].power_limit_w < INFINITY)
        config--;
    struct easim_config c = all->configs[config];
    const struct gpu_type *type = &all->cluster->gpu_types[c.gpu_type];
    for (uint32_t span = 0; utilization >= 0 && span < c.span_count; span++)
        c.power_w[span] = power_rigid_w(cluster_rigid_busy_w(type), type->tdp_w, utilization);
    return c;
}

static int64_t between(int64_t low, int64_t value, int64_t high) {
    return value < low ? low : value > high ? high : value;
}

/* The least whole draw at which a GPU keeps its speed but for flex. */
static int64_t flex_draw_nw(const struct limit_class *c, double flex) {
    double least_w = limit_curve_least_w(&c->curve),
           draw_w =
               limit_curve_draw_at_speed_w(&c->curve, (1 - flex) * c->full.goodput / c->fastest);
    return draw_w > least_w ? (int64_t)ceil(draw_w * 1e9) : power_nw(least_w);
}

/* The draws between which the host may hold it, and at which it enters (semantics 37.3). */
static void set_draws(const struct limit_classes *all, struct limit_class *c,
                      const struct class_key *key) {
    const struct cap_rules *rules = &all->cluster->cap_rules;
    int64_t ctx_nw = power_nw(all->cluster->gpu_types[c->gpu_type].ctx_w);
    int64_t full_nw = c->full.nw / c->k, want_nw = full_nw > ctx_nw ? full_nw : ctx_nw;
    int64_t flex_nw = key->flex > 0 ? flex_draw_nw(c, key->flex) : full_nw;
    c->ranges = 1;
    c->lo_nw = c->top_nw[0] = c->entry_nw = want_nw;
    c->broken_nw = c->k * (flex_nw < full_nw ? flex_nw : full_nw);
    if (rules->enforce == ENFORCE_NONE)
        return;
    double full_w = power_w(full_nw);
    c->lo_nw = between(ctx_nw, power_nw(limit_curve_least_w(&c->curve)), want_nw);
    flex_nw = between(c->lo_nw, flex_nw, want_nw);
    if (rules->admit == CAP_ADMIT_FLOOR)
        c->entry_nw = c->lo_nw;
    if (rules->admit == CAP_ADMIT_EFFICIENT)
        c->entry_nw = between(c->lo_nw, power_nw(limit_curve_best_w(&c->curve, full_w)), want_nw);
    if (rules->order == CAP_ORDER_BY_CLASS && key->is_sla)
        c->entry_nw = want_nw;
    if (rules->order != CAP_ORDER_BY_FLEX || key->flex == 0) {
        c->entry_nw = rules->order == CAP_ORDER_BY_FLEX ? want_nw : c->entry_nw;
        return;
    }
    c->ranges = 2;
    c->top_nw[0] = flex_nw;
    c->top_nw[1] = want_nw;
    c->entry_nw = between(flex_nw, c->entry_nw, want_nw);
}

static struct limit_class make_class(const struct limit_classes *all, uint32_t job,
                                     const struct class_key *key) {
    const struct easim_config *config = &all->configs[key->config];
    const struct easim_config unlimited = unlimited_of(all, key->config, key->utilization);
    bool is_stated = key->wish_w == config->power_limit_w;
    struct limit_class c = {.config = key->config,
                            .span = key->span,
                            .k = config->k,
                            .gpu_type = config->gpu_type,
                            .wish_w = key->wish_w,
                            .fastest = unlimited.goodput[key->span]};
    const struct gpu_type *type = &all->cluster->gpu_types[config->gpu_type];
    uint32_t model = all->workload->jobs.at[job].model;
    limit_curve_init(&c.curve, model_limits(all->workload->table.models, model, type->name), type,
                     &unlimited, key->span);
    double draw_w = key->wish_w < INFINITY ? limit_curve_draw_w(&c.curve, key->wish_w)
                                           : unlimited.power_w[key->span];
    c.full.goodput = c.fastest * limit_curve_speed(&c.curve, draw_w);
    if (is_stated) { /* the very doubles of the configuration */
        draw_w = key->utilization >= 0 ? draw_w : config->power_w[key->span];
        c.full.goodput = config->goodput[key->span];
    }
    c.full.nw = power_of_gpus_nw(draw_w, c.k, 0);
    set_draws(all, &c, key);
    return c;
}

uint32_t limit_class_of(struct limit_classes *classes, uint32_t job, uint32_t config, uint32_t span,
                        double wish_w, double utilization) {
    const struct job_spec *spec = &classes->workload->jobs.at[job];
    struct class_key key;
    bool is_new;
    memset(&key, 0, sizeof key);
    key.config = config;
    key.span = span;
    key.wish_w = wish_w < INFINITY ? wish_w : classes->configs[config].power_limit_w;
    key.flex = spec->flex;
    key.is_sla = spec->sla;
    key.utilization = utilization;
    uint32_t *found = &classes->found[(config ^ span << 7) % LIMIT_CLASSES_FOUND];
    if (*found > 0 && memcmp(classes->keys.entries.at[*found - 1].key, &key, sizeof key) == 0)
        return *found - 1;
    uint32_t class = intern(&classes->keys, &key, sizeof key, &is_new);
    if (is_new)
        array_push(&classes->at, make_class(classes, job, &key));
    *found = class + 1;
    return class;
}

int64_t limit_class_want_nw(const struct limit_class *c) {
    return c->k * c->top_nw[c->ranges - 1];
}

struct limit_hold limit_class_at(const struct limit_class *c, int64_t gpu_nw) {
    if (gpu_nw >= c->full.nw / c->k)
        return c->full;
    double goodput = c->fastest * limit_curve_speed(&c->curve, power_w(gpu_nw));
    return (struct limit_hold){fmin(goodput, c->full.goodput), c->k * gpu_nw};
}

static struct limit_hold hold_at(const struct limit_class *c, const struct limit_place *place) {
    uint32_t range = c->ranges == 2 && place->x[0] >= 1;
    if (place->x[c->ranges - 1] >= 1 && place->x[0] >= 1)
        return c->full;
    int64_t from_nw = range == 1 ? c->top_nw[0] : c->lo_nw;
    int64_t nw = from_nw + power_fill_rise_nw(c->top_nw[range] - from_nw, place->x[range]);
    return limit_class_at(c, nw);
}

/* The same from a table, which is made when it is asked for first. */
static struct limit_hold hold_by_steps(struct limit_classes *classes, struct limit_class *c,
                                       const struct limit_place *place) {
    uint32_t n = classes->steps, count = c->ranges * n + 1;
    if (!c->steps && classes->at.count > MOST_TABLES)
        return hold_at(c, place);
    if (!c->steps) {
        c->steps = mem_alloc(count * sizeof *c->steps);
        for (uint32_t s = 0; s < count; s++) {
            uint32_t first = s < n ? s : n;
            const struct limit_place of = {.x = {(double)first / n, (double)(s - first) / n}};
            c->steps[s] = hold_at(c, &of);
        }
    }
    return c->steps[place->step];
}

struct limit_hold limit_class_hold(struct limit_classes *classes, uint32_t class,
                                   const struct limit_place *place) {
    struct limit_class *c = &classes->at.at[class];
    return classes->steps > 0 ? hold_by_steps(classes, c, place) : hold_at(c, place);
}

void limit_classes_finish(struct limit_classes *classes) {
    for (size_t c = 0; c < classes->at.count; c++) {
        limit_curve_finish(&classes->at.at[c].curve);
        free(classes->at.at[c].steps);
    }
    free(classes->at.at);
    intern_finish(&classes->keys);
}
