/* What the files of src/bounds share; for this folder alone. */
#ifndef EASIM_BOUNDS_INTERNAL_H
#define EASIM_BOUNDS_INTERNAL_H

#include "workload/jobs.h"
#include "workload/workload.h"

#include <math.h>
#include <stddef.h>

/* --- demand --- */
/* Jobs that no configuration can run are left out. */

/* A configuration on one span, for a unit of work (a reference sample; rigid: a second). */
struct demand_rate {
    uint32_t gpu_type;
    double gpus;     /* or the part of one */
    double gpu_s;    /* GPU time that it takes, rounded down */
    double energy_j; /* that it adds to GPUs that stand idle, rounded down */
};

/* Jobs of one model (or kind) that allow the same configurations. */
struct demand_group {
    uint32_t jobs;
    ARRAY_OF(struct demand_rate) rates;
    ARRAY_OF(struct demand_rate) limited; /* the same below limits: slower, for energy alone */
    double *least_gpu_s;   /* by GPU type, for a unit of work; INFINITY: it cannot run there */
    double *least_gpus;    /* by GPU type, of any configuration; likewise */
    double fastest;        /* units of work a second at most */
    double setup_w;        /* that its set-up adds to idle GPUs at least; not below 0 */
    double least_spread_w; /* least of what a configuration, computing or not, draws above idle_w,
                              of one GPU: energy is not bounded where it is below 0 */
};

struct demand_job {
    double submit_s;
    double work;    /* R: with its model noise */
    double setup_s; /* sigma: the least that any of its starts pays */
    uint32_t group;
    bool measured; /* submitted after the warm-up */
};

/* Zero-initialise; release with demand_finish. */
struct demand {
    const struct cluster *cluster;
    ARRAY_OF(struct demand_job) jobs; /* in order of submission */
    struct demand_group *groups;      /* by config set; those without jobs are empty */
    size_t group_count;
    size_t impossible;          /* jobs left out; of them measured, and how long they are there */
    size_t impossible_measured; /* until the end, if there is one */
    double impossible_s;
    double *idle_w;  /* least of one idle GPU, by GPU type */
    double static_w; /* of the cluster, all GPUs idle, at least */
    struct arena arena;
};

/* Of all jobs submitted before end_ns (TIME_NONE_NS: all). noise: of this replication. done: NULL,
   or of each job the work that is to be done, in units of its spec; one with none of it needs no
   set-up. Needs a table without phases. */
void demand_find(struct demand *demand, const struct workload *workload,
                 const struct noise_draw *noise, int64_t end_ns, const double *done);
void demand_finish(struct demand *demand);

/* The least time from submission to finish of a job that never waits. */
double demand_alone_s(const struct demand *demand, const struct demand_job *job);

/* --- one_machine --- */
/* Preemptive schedules of one machine of speed 1, which bound completion times from below
   (semantics 27.3). Pure functions. */

struct machine_job {
    double release_s;
    double size_s; /* >= 0 */
    double weight; /* of one_machine_busy, >= 0 */
};

/* The number of jobs in the system, integrated from from_s to end_s (INFINITY: until all are done),
   shortest remaining time first, which makes it least at every instant (Schrage 1968). Jobs are in
   order of release, all before end_s. */
double one_machine_srpt_s(const struct machine_job *jobs, size_t count, double from_s,
                          double end_s);

/* Mean busy time of each job, the mean of the instants in which it is worked on, where of the jobs
   there always that of the largest weight / size goes first: it makes the sum of weight x mean busy
   time least (Goemans, Queyranne, Schulz, Skutella and Wang 2002). Ties go by place; a job of size
   0 is done at its release. */
void one_machine_busy(const struct machine_job *jobs, size_t count, double *ret_busy_s);

/* --- presence --- */
/* How many jobs are in the system at least, instant by instant (semantics 27.3, e): each for as
   long as it takes alone; of those that could be done by then, as many as one machine cannot have
   done. */

/* The sum over the jobs of min(completion, end_s) - release is at least this. alone_s, by job: the
   least that each takes, up to end_s. Jobs are in order of release, all before end_s. */
double presence_s(const struct machine_job *jobs, const double *alone_s, size_t count,
                  double end_s);

/* --- rounded --- */
/* Sums, products and quotients never above the exact result (low_*), sums and products never below
   it (high_*): the neighbor of the nearest double. */

static inline double low_add(double a, double b) {
    return nextafter(a + b, -INFINITY);
}
static inline double high_add(double a, double b) {
    return nextafter(a + b, INFINITY);
}
static inline double low_multiply(double a, double b) {
    return nextafter(a * b, -INFINITY);
}
static inline double high_multiply(double a, double b) {
    return nextafter(a * b, INFINITY);
}
static inline double low_divide(double a, double b) {
    return nextafter(a / b, -INFINITY);
}

/* --- energy_prices --- */
/* Prices of GPU time, from a linear program (GLPK): work that needs GPUs of a type late in the run
   pays, so work goes where it draws least while there is room. */

#define ENERGY_MOST_INTERVALS 64

/* Work by group and by when it was submitted: interval i is from from_s[i] to the next one. */
struct energy_work {
    size_t intervals, groups;
    double from_s[ENERGY_MOST_INTERVALS]; /* ascending */
    double *units;      /* by interval, then group of the demand: groups each; rounded down */
    double least_end_s; /* no schedule ends before; */
    bool ends_there;    /* and every one ends then: a horizon */
};

/* In intervals of equal least GPU time, as many as the program can take. end_s: of the run;
   INFINITY: when all is done. Release with energy_work_finish. */
void energy_work_find(struct energy_work *work, const struct demand *demand, double end_s);
void energy_work_finish(struct energy_work *work);

/* prices: by GPU type, then interval, W a GPU; of the capacity of that type from the interval's
   start to the end of the run. False: the program was not solved, and all are 0. */
bool energy_prices_find(const struct demand *demand, const struct energy_work *work,
                        double *prices);

/* --- energy_bound --- */
/* The bound is rounded down, and holds whatever the solver's own rounding was. */

struct energy_bound {
    double energy_j;
    size_t intervals, groups; /* that the work was split into */
    size_t solved;            /* 0: without prices, so the bound knows of no queue */
};

/* Of all that GPUs and nodes draw up to the end of the last job, or to end_s (INFINITY: the
   former). Needs jobs, and groups that draw no less than idle GPUs (least_spread_w). Rounding here
   and in the engine is allowed for. */
struct energy_bound energy_bound_find(const struct demand *demand, double end_s);

/* What prices prove, rounded down; any do, good or bad. prices: W a GPU, by GPU type, then
   interval; those below 0 are taken for 0, and without a horizon all are made smaller where they
   are worth more than the whole cluster draws at least. */
double energy_bound_certified_j(const struct demand *demand, const struct energy_work *work,
                                const double *prices);

/* --- time_bound --- */

/* Which argument gives a bound; the best of them counts. */
enum time_argument {
    TIME_ALONE,   /* (a) each job has the cluster for itself */
    TIME_SRPT,    /* (b) the cluster as one machine, shortest remaining time first */
    TIME_BUSY,    /* (c) mean busy times there, and half of the fastest run */
    TIME_MIXED,   /* (d) for each job some of (c) and some of (a) */
    TIME_PRESENT, /* (e) jobs in the system at every instant, at least */
    TIME_PRICED,  /* (f) each job by itself, at prices of GPU time */
    TIME_ARGUMENTS,
};
extern const char *const time_argument_names[]; /* "a" to "f" */

/* Means over the measured jobs, s; NAN: it does not hold for this metric, or there are no jobs. */
struct time_bound {
    double by[TIME_ARGUMENTS];
    size_t best; /* an enum time_argument; no padding, for it goes from process to process */
};

/* Of the mean of completion - submission of all measured jobs that can finish, or, with an end, of
   the mean of min(completion, end_s) - submission of all, for which (a), (b), (e) and (f) hold;
   INFINITY: none. Rounding is allowed for: values are a little below. */
struct time_bound time_bound_find(const struct demand *demand, double end_s);

/* --- time_prices --- */

/* Jobs to be bounded, in order of release; the others of the demand occupy nothing. */
struct pricing {
    const struct demand *demand;
    const struct demand_job *const *jobs;
    size_t count;
    double end_s; /* completions count up to there; INFINITY: none */
    /* Where the search for good prices begins; any do: */
    const double *worth;    /* of one GPU, by type: a share of all, >= 0 */
    const double *finish_s; /* of each job in some schedule */
};

/* The sum over the jobs of min(completion, end_s) - release is at least this, in fixed steps. */
double time_prices_s(const struct pricing *in);

#endif
