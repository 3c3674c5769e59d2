/* Measures a run while it goes (as an observer) and sums it up at its end. */
#ifndef EASIM_METRICS_METRICS_H
#define EASIM_METRICS_METRICS_H

#include "base/array.h"
#include "base/error.h"
#include "engine/observer.h"
#include "engine/sim.h"
#include "metrics/cap_event_stats.h"
#include "metrics/domain_stats.h"
#include "metrics/job_record.h"
#include "metrics/job_stats.h"
#include "metrics/service_stats.h"
#include "metrics/summary.h"

/* --- queue_slope --- */
/* The slope of the number of waiting jobs over the measured time, while a run goes. */

/* Zero-initialise. */
struct queue_slope {
    int64_t since_ns; /* so many have waited since then */
    uint32_t waiting;
    double moment; /* integral of (t - middle) * waiting from the end of the warm-up on, h^2 */
};

/* Of the least-squares line up to the horizon, jobs/h. NAN without a horizon. */
double queue_slope_per_h(const struct queue_slope *slope, const struct sim *sim);

/* --- metrics --- */

/* Of measured time: the time of all jobs in the system, waiting or not; the longest queue. */
struct queue_extent {
    int128 waiting_ns, jobs_ns;
    int64_t most_since_ns;
    uint32_t most;
};

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
    struct queue_extent extent;
    int64_t start_ns;            /* of measuring */
    struct power_meter at_start; /* copy of the meter then; types owned here */
    struct job_totals jobs_at_start;
    double submitted_gpu_s; /* reference GPU-seconds of all jobs, measured or not */
    int64_t power_max_nw;
    int128 frag_gpu_ps;     /* free GPU time of each type while jobs wait that could use it */
    struct cap_excess over; /* the cluster's cap */
    struct domain_stats domains;
    int128 throttled_gpu_ps;
    bool capped; /* at some time */
    struct priced co2, cost;
    uint64_t preemptions, resizes, capped_starts, job_failures, node_failures_at_start;
    struct summary summary;
    struct job_sums *job_sums; /* NULL: none has been added */
    struct user_row *users;
    struct type_row *types;
    struct service_stats service_stats;
    struct cap_event_stats cap_events;
};

void metrics_init(struct metrics *metrics, bool record_decisions);
/* Fills in summary, users and types from the finished run. */
void metrics_sum_up(struct metrics *metrics, const struct sim *sim);
void metrics_finish(struct metrics *metrics);

/* --- power_means --- */
/* Mean power of successive intervals of one length from t = 0 on, as a meter gives it: exact
   integrals, rounded to a nanowatt. */

/* Init, then observe; release with power_means_finish. */
struct power_means {
    struct observer observer;
    int64_t step_ns;         /* length of an interval */
    int64_t now_ns;          /* power is known up to here */
    int128 energy;           /* since the end of the last whole interval, 1e-18 J */
    ARRAY_OF(int64_t) at_nw; /* interval i ends at (i + 1) * step_ns; of the last: close */
};

/* step_ns: above 0. */
void power_means_init(struct power_means *means, int64_t step_ns);
/* The run is over: what is left of its last interval is one, which ends at now_ns. Negative if
   these are more than POWER_MEANS_MOST, which are not kept. */
int power_means_close(struct power_means *means, struct error *reterr) MUST_CHECK;
/* The end of interval i. */
int64_t power_means_end_ns(const struct power_means *means, size_t i);
void power_means_finish(struct power_means *means);

#endif
