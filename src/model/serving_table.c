/* Interpolation of serving tables: see serving_table.h. Invariant: at a measured n every function
   gives what was measured, to the last bit. */
#include "model/serving_table.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

/* ---- Pooling ---- */

struct block {
    double sum;
    size_t count;
};

static double mean_of(struct block block) {
    return block.sum / (double)block.count;
}

void pool_adjacent_violators(double *values, size_t count) {
    struct block *blocks = mem_zalloc(count, sizeof *blocks);
    size_t used = 0, next = 0;
    for (size_t i = 0; i < count; i++) {
        blocks[used++] = (struct block){values[i], 1};
        for (; used > 1 && mean_of(blocks[used - 2]) > mean_of(blocks[used - 1]); used--) {
            blocks[used - 2].sum += blocks[used - 1].sum;
            blocks[used - 2].count += blocks[used - 1].count;
        }
    }
    for (size_t b = 0; b < used; b++)
        for (size_t i = 0; i < blocks[b].count; i++)
            values[next++] = mean_of(blocks[b]);
    free(blocks);
}

static void pool_column(struct serving_table *table, size_t offset) {
    double *values = mem_alloc(table->count * sizeof *values);
    for (size_t i = 0; i < table->count; i++)
        values[i] = *(double *)((char *)&table->points[i] + offset);
    pool_adjacent_violators(values, table->count);
    for (size_t i = 0; i < table->count; i++)
        *(double *)((char *)&table->points[i] + offset) = values[i];
    free(values);
}

void serving_table_pool(struct serving_table *table) {
    pool_column(table, offsetof(struct serving_point, per_s));
    for (int q = 0; q < SERVING_QUANTILES; q++)
        pool_column(table, offsetof(struct serving_point, latency_ms) + (size_t)q * sizeof(double));
}

/* ---- Interpolation ---- */

/* The first point at n or above; the last one for n above all. */
static size_t point_from(const struct serving_table *table, double n) {
    size_t i = 0;
    while (i + 1 < table->count && table->points[i].n < n)
        i++;
    return i;
}

double serving_table_rate(const struct serving_table *table, double n) {
    size_t i = point_from(table, n);
    const struct serving_point *high = &table->points[i], *low = high - 1;
    if (high->n == n)
        return high->per_s;
    if (i == 0)
        return high->per_s * n / high->n;
    if (low->per_s == high->per_s)
        return low->per_s;
    double from_s = low->n / low->per_s, to_s = high->n / high->per_s;
    return n / (from_s + (n - low->n) / (high->n - low->n) * (to_s - from_s));
}

/* n/X linear in n, solved for n: with w its share of the way from the lower to the upper point,
   w (n2 (X2 - X1)/X2 - (X - X1)(n2/X2 - n1/X1)) = (X - X1) n1/X1. */
double serving_table_running(const struct serving_table *table, double per_s) {
    size_t i = 0;
    while (i + 1 < table->count && table->points[i].per_s < per_s)
        i++;
    const struct serving_point *high = &table->points[i], *low = high - 1;
    if (high->per_s == per_s)
        return high->n;
    if (i == 0)
        return high->n * per_s / high->per_s;
    double from_s = low->n / low->per_s, to_s = high->n / high->per_s, more = per_s - low->per_s;
    double share = more * from_s / (to_s * (high->per_s - low->per_s) - more * (to_s - from_s));
    return low->n + share * (high->n - low->n);
}

double serving_table_power_w(const struct serving_table *table, double n, double loaded_w) {
    size_t i = point_from(table, n);
    const struct serving_point *high = &table->points[i], *low = high - 1;
    if (high->n == n)
        return high->power_w;
    if (i == 0)
        return loaded_w + (high->power_w - loaded_w) * expm1(-n) / expm1(-high->n);
    return low->power_w + log(n / low->n) / log(high->n / low->n) * (high->power_w - low->power_w);
}

double serving_table_latency_ms(const struct serving_table *table, double n,
                                enum serving_quantile quantile) {
    size_t i = point_from(table, n);
    const struct serving_point *high = &table->points[i], *low = high - 1;
    if (i == 0 || high->n == n)
        return high->latency_ms[quantile];
    return low->latency_ms[quantile] + (n - low->n) / (high->n - low->n) *
                                           (high->latency_ms[quantile] - low->latency_ms[quantile]);
}

double serving_table_most(const struct serving_table *table, double limit,
                          enum serving_quantile quantile, double slo_ms) {
    size_t within = 0; /* points that meet it: the first ones, as latency does not fall */
    while (within < table->count && table->points[within].latency_ms[quantile] <= slo_ms)
        within++;
    if (within == 0)
        return 0;
    double most = table->points[within - 1].n;
    if (within < table->count) {
        const struct serving_point *low = &table->points[within - 1], *high = low + 1;
        double share = (slo_ms - low->latency_ms[quantile]) /
                       (high->latency_ms[quantile] - low->latency_ms[quantile]);
        most += share * (high->n - low->n);
    }
    most = fmin(most, limit);
    size_t i = point_from(table, most);
    while (i > 0 && table->points[i - 1].per_s == table->points[i].per_s) {
        i--;
        most = table->points[i].n;
    }
    return most;
}
