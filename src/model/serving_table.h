/* Serving tables: what a replica gives, draws and takes over n, the mean number of requests that it
   runs at once (semantics 3.6). Pure functions. */
#ifndef EASIM_MODEL_SERVING_TABLE_H
#define EASIM_MODEL_SERVING_TABLE_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

enum serving_quantile { SERVING_P50, SERVING_P90, SERVING_P95, SERVING_P99, SERVING_QUANTILES };

/* Measured at one limit. Latency: of tokens the time between two of one request, by quantile; of
   outputs that of one, the same in all places. */
struct serving_point {
    struct location where;
    double limit;   /* most requests at once that the server admits; NAN: not stated */
    double n;       /* requests running, mean; > 0 */
    double per_s;   /* tokens or outputs per second, > 0 */
    double power_w; /* of all GPUs of the replica, > 0 */
    double latency_ms[SERVING_QUANTILES];
};

/* Points by ascending n, per_s and latencies not falling: as serving_table_pool leaves them. */
struct serving_table {
    struct serving_point *points;
    size_t count; /* > 0 */
};

/* Makes values[0..count) non-decreasing at least squares, all weights 1 (pool adjacent violators:
   Barlow et al. 1972): neighbours that fall get the mean of their block. */
void pool_adjacent_violators(double *values, size_t count);

/* Pools per_s and each latency of points in ascending n. Power is not pooled: it may fall. */
void serving_table_pool(struct serving_table *table);

/* Outputs per second at n running, 0 <= n <= most n of the table: linear from 0 below the first
   point; between points n/per_s is linear in n (an iteration, n/per_s long, gets longer by as much
   with every request). */
double serving_table_rate(const struct serving_table *table, double n);
/* Its inverse: the least n that gives `per_s`, 0 <= per_s <= that of the last point. */
double serving_table_running(const struct serving_table *table, double per_s);
/* W of the replica at n running: linear in log n between points; below the first one from
   loaded_w at 0 by the share of time in which Poisson requests leave it working, 1 - e^-n. */
double serving_table_power_w(const struct serving_table *table, double n, double loaded_w);
/* ms, linear in n; below the first point that of the first. */
double serving_table_latency_ms(const struct serving_table *table, double n,
                                enum serving_quantile quantile);
/* The running batch of full use: the largest n <= limit, and measured, whose latency is at most
   slo_ms, or the least n that gives as many outputs. 0: the latency of the first point is above. */
double serving_table_most(const struct serving_table *table, double limit,
                          enum serving_quantile quantile, double slo_ms);

#endif
