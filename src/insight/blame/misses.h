/* Causes: why a job missed its deadline (miss_cause), and the cost of each node (node_blame). */
#ifndef EASIM_INSIGHT_BLAME_MISSES_H
#define EASIM_INSIGHT_BLAME_MISSES_H

#include "insight/blame/blame.h"

enum miss_cause {
    MISS_NOT,           /* no deadline, or kept, or not due */
    MISS_QUEUED,        /* in the queue before its first start */
    MISS_CAPPED,        /* waited for the power cap */
    MISS_PREEMPTED,     /* lost time and work to jobs that displaced it */
    MISS_INFEASIBLE,    /* at submission: T* was longer than the time to the deadline; rejected */
    MISS_FAILED,        /* lost time and work to failed nodes */
    MISS_RESIZED,       /* set-up after resizes, and the work they lost */
    MISS_SLOWED,        /* by neighbours */
    MISS_CONFIGURATION, /* what is left: it ran in slower configurations than that of T*, was set
                           up, or is slower than predicted */
    MISS_CAUSES
};
extern const char *const miss_cause_names[]; /* by enum miss_cause; MISS_NOT: NULL */

/* *ret_late_s: finish - deadline. If the job has not finished, the least that it is late, as if it
   went on alone in its best configuration. NAN if it was rejected or MISS_NOT. */
enum miss_cause miss_cause_find(const struct recorded_run *run, const struct blame *blame,
                                uint32_t job, double *ret_late_s);

/* --- node_blame --- */
/* A node's cost in the measured time: failures, and slowdown of jobs on it (semantics 26.4). */

struct node_blame {
    uint32_t failures;
    int128 down_gpu_ps;    /* its GPUs while it had failed, 1e-12 GPU s */
    uint32_t stopped_jobs; /* by its failures */
    int128 lost_gpu_ps;    /* computing of those jobs that was lost with them */
    int128 lost_energy;    /* of that, 1e-18 J */
    double slowed_j;       /* of jobs that had most neighbours here */
};

/* By node; the caller's to free. */
struct node_blame *node_blame_find(const struct recorded_run *run, const struct blame *blame);

#endif
