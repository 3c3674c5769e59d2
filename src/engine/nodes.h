/* What goes on at a node beside the phases of jobs: which jobs are there, how they slow each other
   down, and which free GPUs sleep. Off, and without cost, unless the cluster has failures,
   interference or sleep. */
#ifndef EASIM_ENGINE_NODES_H
#define EASIM_ENGINE_NODES_H

#include "base/array.h"
#include "cluster/sleep.h"

#include <stdbool.h>
#include <stdint.h>

struct sim;

struct node_jobs {
    ARRAY_OF(uint32_t) list; /* that hold GPUs of the node; order is arbitrary but reproducible */
};

struct nodes {
    struct node_jobs *jobs; /* by node; NULL: not needed */
    struct sleep sleep;
    uint32_t *sleep_events; /* by node: the pending event, or EVENT_NONE */
    bool *is_changed;       /* by node; NULL: neither interference nor sleep */
    ARRAY_OF(uint32_t)
    changed; /* nodes whose jobs or free GPUs are others than at the last nodes_settle */
};

void nodes_init(struct sim *sim);
void nodes_finish(struct sim *sim);

/* With sleep: a job takes GPUs of a node from the free ones, and gives all back that it holds of
   it. EASIM_NONE: all are awake when they come back. Returns when those taken are awake. */
int64_t nodes_take_gpus(struct sim *sim, uint32_t node, uint32_t gpus, uint32_t job);
void nodes_give_back_gpus(struct sim *sim, uint32_t node, uint32_t gpus, uint32_t job);
/* With sleep: nobody is left on a shared GPU that is awake from ready_ns on. */
void nodes_give_back_shared(struct sim *sim, uint32_t node, int64_t ready_ns);
/* With lists of jobs: a job begins to use GPUs of a node (sign = 1) or leaves it (-1). */
void nodes_move_job(struct sim *sim, uint32_t job, uint32_t node, int sign);
/* What the goodput of a job is divided by: 1 + slowdown_per_neighbour * other jobs on a node, the
   most over its nodes. */
double nodes_slowdown(const struct sim *sim, uint32_t job);
/* After all changes of an event or decision: new speeds of neighbours, next times to fall asleep.
 */
void nodes_settle(struct sim *sim);
/* The event itself: GPUs of a node fall asleep. */
void nodes_fall_asleep(struct sim *sim, uint32_t node);
/* A node has failed or is repaired: none of its GPUs is free, or all are, and awake. */
void nodes_set_failed(struct sim *sim, uint32_t node, bool failed);

#endif
