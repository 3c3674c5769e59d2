/* What a run leaves to be written beside its summary: a row of each of its tables. */
#ifndef EASIM_METRICS_ROWS_H
#define EASIM_METRICS_ROWS_H

#include "engine/observer.h"

/* Of power.csv: the state from time_ns on. */
struct power_row {
    int64_t time_ns;
    int64_t power_nw;
    uint32_t allocated, idle, waiting, failed; /* GPUs; allocated: in whole or in part */
    uint64_t shared_free_milli;                /* thousandths of the allocated ones that are free */
    double cap_w;                              /* INFINITY if none */
};

struct power_row power_row_of(const struct sim *sim); /* of now */

/* Of decisions.csv. */
struct decision_row {
    int64_t time_ns;
    struct action_record action;
};

/* Of users.csv: the measured jobs of one user. */
struct user_row {
    uint32_t jobs;
    double gpu_s, demand_gpu_s, energy_kwh, jct_mean_s, slowdown_mean;
};

/* Of types.csv: one GPU type. */
struct type_row {
    double alloc_gpu_h, compute_gpu_h, energy_kwh;
    uint32_t jobs; /* finished, by last configuration */
};

/* Of services.csv; NAN: not defined. */
struct service_row {
    double tokens_before, tokens_demanded, tokens_served, tokens_dropped, tokens_left;
    double slo_share, energy_kwh, j_per_token;
    double wait_p50_s, wait_p99_s, latency_p99_ms;
    double gpu_h, scale_ups, preemptions;
};

#endif
