/* What the jobs of a replication need at least, whoever schedules them: the input of all bounds
   (semantics 27.1). Jobs that no configuration can run are left out. */
#ifndef EASIM_BOUNDS_DEMAND_H
#define EASIM_BOUNDS_DEMAND_H

#include "workload/jobs.h"
#include "workload/workload.h"

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

#endif
