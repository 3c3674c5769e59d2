/* What each node cost in the measured time: by its failures, and because jobs on it slow each other
   down (semantics 26.4). */
#ifndef EASIM_INSIGHT_BLAME_NODE_BLAME_H
#define EASIM_INSIGHT_BLAME_NODE_BLAME_H

#include "insight/blame/blame.h"

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
