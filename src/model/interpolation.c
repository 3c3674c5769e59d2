/* Interpolation of measured points. Invariant: points are sorted by span, k, batch. */
#include "model/interpolation.h"
#include "base/array.h"
#include "model/speed.h"

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
