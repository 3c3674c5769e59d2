/* Measures a run while it goes (as an observer) and sums it up at its end. */
#ifndef EASIM_METRICS_METRICS_H
#define EASIM_METRICS_METRICS_H

#include "engine/sim.h"
#include "metrics/job_totals.h"
#include "metrics/queue_slope.h"
#include "metrics/rows.h"
#include "metrics/service_stats.h"
#include "metrics/summary.h"

/* What energy comes to at a price or carbon intensity that changes. */
struct priced {
    double value;  /* the present price or intensity, in the unit of its series */
    double sum;    /* kWh x pue x value, of the time at earlier values */
    int128 energy; /* at the present value so far, 1e-18 J: exact while the value stays */
};

/* Zero-initialise; release with metrics_finish. */
struct metrics {
    struct observer observer;
    bool record_decisions;
    ARRAY_OF(struct decision_row) decision_rows;
    struct queue_slope queue;
    int64_t start_ns;            /* of measuring */
    struct power_meter at_start; /* copy of the meter then; types owned here */
    struct job_totals jobs_at_start;
    int64_t power_max_nw;
    int128 frag_gpu_ps; /* free GPU time of each type while jobs wait that could use it */
    int128 violation_energy;
    int64_t violation_ns;
    bool capped; /* at some time */
    struct priced co2, cost;
    uint64_t preemptions, resizes, job_failures, node_failures_at_start;
    struct summary summary;
    struct user_row *users;
    struct type_row *types;
    struct service_stats service_stats;
    struct service_row *services;
};

void metrics_init(struct metrics *metrics, bool record_decisions);
/* Fills in summary, users and types from the finished run. */
void metrics_sum_up(struct metrics *metrics, const struct sim *sim);
void metrics_finish(struct metrics *metrics);

#endif
