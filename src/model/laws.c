/* Laws of speed and power: see laws.h. */
#include "model/laws.h"

#include "base/array.h"

#include <math.h>
#include <stddef.h>

/* --- speed --- */

static double p_norm(double x, double y, double gamma) {
    if (gamma == 1)
        return x + y;
    return pow(pow(x, gamma) + pow(y, gamma), 1 / gamma);
}

double speed_sync_s(const struct speed_params *params, uint32_t k, uint32_t nodes) {
    const enum easim_span span = nodes > 1 ? EASIM_ACROSS_NODES : EASIM_ONE_NODE;
    if (k == 1)
        return 0;
    if (span == EASIM_ACROSS_NODES && params->sync_inter == SYNC_LAW_LOG2)
        return params->alpha_s[span] + params->beta_s[span] * log2(nodes);
    return params->alpha_s[span] + params->beta_s[span] * (k - 2);
}

uint32_t speed_nodes(uint32_t k, uint32_t node_gpus, uint32_t span) {
    uint32_t full = k / node_gpus + (k % node_gpus > 0);
    return span == EASIM_ONE_NODE ? 1 : full < 2 ? 2 : full;
}

double speed_iteration_s(const struct speed_params *params, uint32_t k, double batch,
                         uint32_t nodes) {
    double local_s = p_norm(params->a_s, params->c_s * batch, params->gamma);
    double sync_s = speed_sync_s(params, k, nodes);
    if (params->scaling_exponent != 0)
        local_s *= pow(k, params->scaling_exponent);
    return p_norm(local_s, sync_s, params->sync_gamma);
}

double speed_rate(uint32_t k, double batch, double iteration_s) {
    return k * batch / iteration_s;
}

/* --- power --- */

double power_training_w(const struct power_params *params, double c_s, double rate_per_gpu,
                        double tdp_w) {
    return fmin(tdp_w, params->p0_w + (params->pmax_w - params->p0_w) * c_s * rate_per_gpu);
}

double power_rigid_w(double busy_w, double tdp_w, double utilization) {
    return busy_w + utilization * (tdp_w - busy_w);
}

/* --- efficiency --- */

double efficiency_of_batch(double m0, double phi, double batch) {
    return batch > m0 ? (phi + m0) / (phi + batch) : 1;
}

/* --- scaling_efficiency --- */

#define ROUNDING 1e-14 /* of a time, relative: what a few operations may lose */

static double iteration_s(const struct scaling *scaling, uint32_t k, double steps) {
    return steps * speed_iteration_s(&scaling->params, k, scaling->batch / steps, 1);
}

double scaling_efficiency(const struct scaling *scaling) {
    return iteration_s(scaling, 1, scaling->steps_alone) /
           iteration_s(scaling, scaling->k, scaling->steps);
}

double scaling_alpha_s(const struct scaling *scaling, double efficiency) {
    struct scaling alone = *scaling;
    alone.params.alpha_s[EASIM_ONE_NODE] = alone.params.beta_s[EASIM_ONE_NODE] = 0;
    double whole_s = iteration_s(scaling, 1, scaling->steps_alone) / efficiency;
    double step_s = whole_s / scaling->steps, gamma = scaling->params.sync_gamma;
    double compute_s = iteration_s(&alone, scaling->k, scaling->steps) / scaling->steps;
    if (compute_s > step_s * (1 + ROUNDING))
        return -compute_s;
    double share = gamma == 1 ? 1 - compute_s / step_s
                              : pow(-expm1(gamma * log(compute_s / step_s)), 1 / gamma);
    double others_s = scaling->params.beta_s[EASIM_ONE_NODE] * (scaling->k - 2);
    double alpha_s = step_s * fmax(0, share) - others_s;
    return fabs(alpha_s) <= ROUNDING * step_s ? 0 : alpha_s;
}

void scaling_set_alpha_s(struct speed_params *params, double alpha_s) {
    double *within = &params->alpha_s[EASIM_ONE_NODE],
           *across = &params->alpha_s[EASIM_ACROSS_NODES];
    *across = *within > 0 ? *across * (alpha_s / *within) : *across + alpha_s;
    *within = alpha_s;
}

/* --- interpolation --- */
/* Invariant: points are sorted by span, k, batch. */

ORDER_BY(compare_lookup_points, struct interpolation_point, ASC(across_nodes) ASC(k) ASC(batch))

/* Of the points, those of a span; without any across nodes, those within one stand for both. */
static bool stands_for(const struct interpolation *table, enum easim_span span) {
    return span == EASIM_ACROSS_NODES && table->count > 0 &&
           table->points[table->count - 1].across_nodes;
}

bool interpolation_has(const struct interpolation *table, uint32_t k, double batch,
                       enum easim_span span) {
    bool across = stands_for(table, span);
    for (size_t i = 0; i < table->count; i++) {
        const struct interpolation_point *p = &table->points[i];
        if (p->across_nodes == across && p->k == k && p->batch <= batch * BATCH_EQUAL &&
            batch <= p->batch * BATCH_EQUAL)
            return true;
    }
    return false;
}

/* Of neighbours: whether a job of that k and batch could mean either. */
static bool are_one_place(const struct interpolation_point *a,
                          const struct interpolation_point *b) {
    return a->across_nodes == b->across_nodes && a->k == b->k && b->batch <= a->batch * BATCH_EQUAL;
}

int interpolation_sort(struct interpolation *table) {
    sort_array(table->points, table->count, compare_lookup_points);
    for (size_t i = 1; i < table->count; i++)
        if (are_one_place(&table->points[i - 1], &table->points[i]))
            return (int)i;
    return -1;
}

static struct interpolation_value value_between(struct interpolation_value a,
                                                struct interpolation_value b, double share) {
    return (struct interpolation_value){.iteration_s =
                                            a.iteration_s + share * (b.iteration_s - a.iteration_s),
                                        .power_w = a.power_w + share * (b.power_w - a.power_w)};
}

static struct interpolation_value value_of(const struct interpolation_point *point) {
    return (struct interpolation_value){.iteration_s = (double)point->k * point->batch /
                                                       point->throughput_samples_s,
                                        .power_w = point->power_w_per_gpu};
}

/* The power at which an iteration takes its share of the way from one energy to the other. */
static double power_by_energy(struct interpolation_value a, struct interpolation_value b,
                              double share, double iteration_s) {
    double from_j = a.power_w * a.iteration_s, to_j = b.power_w * b.iteration_s;
    return (from_j + share * (to_j - from_j)) / iteration_s;
}

/* Linear in batch among the points [first, end), all of one k. */
static bool find_batch(const struct interpolation_point *first,
                       const struct interpolation_point *end, double batch, bool by_energy,
                       struct interpolation_value *value) {
    const struct interpolation_point *high = first;
    while (high < end && high->batch * BATCH_EQUAL < batch)
        high++;
    if (high == end || (high == first && high->batch > batch * BATCH_EQUAL))
        return false;
    *value = value_of(high);
    if (high->batch > batch * BATCH_EQUAL) {
        const struct interpolation_value below = value_of(high - 1), above = *value;
        double share = (batch - high[-1].batch) / (high->batch - high[-1].batch);
        *value = value_between(below, above, share);
        if (by_energy)
            value->power_w = power_by_energy(below, above, share, value->iteration_s);
    }
    return true;
}

/* What is known of one k. */
struct known_k {
    int64_t k; /* 0: nothing */
    struct interpolation_value value;
};

/* Linear in k among the points of the spans asked for; of a k that has both, those across nodes. */
static bool find_among(const struct interpolation *table, uint32_t k, double batch, bool spans[2],
                       struct interpolation_value *value) {
    const struct interpolation_point *p = table->points, *end = table->points + table->count;
    struct known_k below = {0}, above = {0};
    while (p < end) {
        const struct interpolation_point *group = p;
        while (p < end && p->k == group->k && p->across_nodes == group->across_nodes)
            p++;
        struct known_k here = {.k = group->k};
        if (!spans[group->across_nodes] ||
            !find_batch(group, p, batch, table->by_energy, &here.value))
            continue;
        if (here.k <= k && here.k >= below.k)
            below = here;
        if (here.k >= k && (above.k == 0 || here.k <= above.k))
            above = here;
    }
    if (below.k == 0 || above.k == 0)
        return false;
    *value = below.k == above.k
                 ? above.value
                 : value_between(below.value, above.value,
                                 (double)(k - below.k) / (double)(above.k - below.k));
    return true;
}

bool interpolation_find(const struct interpolation *table, uint32_t k, double batch,
                        enum easim_span span, struct interpolation_value *value) {
    bool across = stands_for(table, span), spans[2] = {!across, across};
    return find_among(table, k, batch, spans, value);
}

bool interpolation_stand_in(const struct interpolation *table, uint32_t k, double batch,
                            struct interpolation_value *value) {
    return find_among(table, k, batch, (bool[]){true, true}, value);
}

/* --- evidence --- */

const char *const evidence_names[] = {"measured", "derived", "assumed", "assumed (override)", NULL};

/* --- limit_law --- */

static double within(const struct limit_law *law, double draw) {
    return fmin(1, fmax(limit_law_least(law), draw));
}

double limit_law_least(const struct limit_law *law) {
    return fmin(1, law->s + LIMIT_LAW_ABOVE_S);
}

double limit_law_speed(const struct limit_law *law, double draw) {
    double s = law->s, m = law->m, p = within(law, draw);
    return p < 1 ? 1 / (m + (1 - m) * (1 - s) / (p - s)) : 1;
}

double limit_law_draw(const struct limit_law *law, double speed) {
    double s = law->s, m = law->m;
    return within(law, m < 1 ? s + (1 - m) * (1 - s) / (1 / speed - m) : 0);
}

/* With m = 0 energy per work falls with the draw. */
double limit_law_best(const struct limit_law *law) {
    double s = law->s, m = law->m;
    return within(law, m > 0 ? s + sqrt(s * (1 - m) * (1 - s) / m) : 1);
}

/* --- limit_table --- */

/* One number of each point: a value below those before it becomes the mean of all that it pools. */
static void make_monotone(struct limit_point *points, size_t count, size_t member) {
#define VALUE(i) (*(double *)((char *)&points[i] + member))
    for (size_t i = 1; i < count; i++) {
        size_t first = i;
        double sum = VALUE(i), mean = sum;
        while (first > 0 && VALUE(first - 1) > mean) {
            sum += VALUE(--first);
            mean = sum / (double)(i - first + 1);
        }
        for (size_t j = first; j <= i; j++)
            VALUE(j) = mean;
    }
#undef VALUE
}

void limit_table_settle(struct limit_point *points, size_t count) {
    make_monotone(points, count, offsetof(struct limit_point, draw));
    make_monotone(points, count, offsetof(struct limit_point, speed));
}

struct limit_point limit_table_at(const struct limit_point *points, size_t count, double limit_w) {
    size_t i = 0;
    while (i + 1 < count && points[i].limit_w < limit_w)
        i++;
    const struct limit_point *to = &points[i], *from = to - (i > 0);
    struct limit_point at = {limit_w, to->draw, to->speed};
    if (i > 0 && limit_w < to->limit_w) {
        double share = (limit_w - from->limit_w) / (to->limit_w - from->limit_w);
        at.draw = from->draw + share * (to->draw - from->draw);
        at.speed = from->speed + share * (to->speed - from->speed);
    }
    return at;
}
