/* Divides each job's time, from submission to its end or that of the run (semantics 26.1). */
#ifndef EASIM_INSIGHT_BLAME_BLAME_H
#define EASIM_INSIGHT_BLAME_BLAME_H

#include "insight/blame/critical_path.h"

enum blame_part {
    BLAME_QUEUED,    /* waits for its first start */
    BLAME_CAPPED,    /* waits, and the power cap alone keeps it from starting */
    BLAME_SETUP,     /* of its first start */
    BLAME_RUN,       /* computes what is kept, as fast as without neighbours and at its wish */
    BLAME_SLOWED,    /* what neighbours add to that */
    BLAME_LOST,      /* computes what is lost */
    BLAME_RESIZED,   /* set-up after a resize */
    BLAME_PREEMPTED, /* checkpoint, wait and set-up because of a preemption */
    BLAME_FAILED,    /* wait and set-up because of a failed node */
    BLAME_THROTTLED, /* what an enforced cap adds to BLAME_RUN */
    BLAME_PARTS
};
extern const char *const blame_part_names[]; /* by enum blame_part */

struct job_blame {
    int64_t part_ns[BLAME_PARTS]; /* they add up to the job's time in the system, exactly */
    int64_t lost_preempted_ns, lost_failed_ns; /* parts of BLAME_LOST: by a preemption, a failure */
    double slowed_j;                           /* energy of BLAME_SLOWED */
};

/* Zero-initialise; release with blame_finish. */
struct blame {
    struct job_blame *jobs; /* by index in workload.jobs */
    struct holdings holdings;
    double *node_slowed_j; /* by node: at which jobs were slowed down; NULL: none was */
};

/* The number of parts that tables list: the last one only if a cap is enforced. */
static inline uint32_t blame_parts(const struct recorded_run *run) {
    return recorded_folder_enforces(run->folder) ? BLAME_PARTS : BLAME_THROTTLED;
}
void blame_find(struct blame *blame, const struct recorded_run *run);
void blame_finish(struct blame *blame);

/* The holding of the job's first start; NULL: it never started. */
const struct holding *blame_first_holding(const struct blame *blame, uint32_t job);

#endif
