/* Changes at a node other than segments of jobs: which jobs are there, how they slow each other
   down, which free GPUs sleep. Off, and without cost, unless the cluster has failures, interference
   or sleep. loop.h applies the consequences of changes. */
#ifndef EASIM_ENGINE_NODES_H
#define EASIM_ENGINE_NODES_H

#include "engine/sim.h"

void nodes_init(struct sim *sim);
void nodes_finish(struct sim *sim);

/* With sleep: a job takes GPUs of a node from the free ones, which returns when they are awake, and
   gives back all that it holds there. Job EASIM_NONE: no job in particular; they come back
   awake. */
int64_t nodes_take_gpus(struct sim *sim, uint32_t node, uint32_t gpus, uint32_t job);
void nodes_give_back_gpus(struct sim *sim, uint32_t node, uint32_t gpus, uint32_t job);
/* With sleep: the last job has left a shared GPU, which is awake from ready_ns on. */
void nodes_give_back_shared(struct sim *sim, uint32_t node, int64_t ready_ns);
/* With lists of jobs: a job begins to use GPUs of a node, or leaves it. */
void nodes_add_job(struct sim *sim, uint32_t job, uint32_t node);
void nodes_remove_job(struct sim *sim, uint32_t job, uint32_t node);
/* Whether jobs on one node slow each other down. */
bool nodes_interfere(const struct sim *sim);
/* The divisor of a job's goodput: 1 + slowdown_per_neighbour * other jobs on a node, the most over
   its nodes. */
double nodes_slowdown(const struct sim *sim, uint32_t job);
/* The same for a job of one node on which this number of jobs is. */
double nodes_slowdown_of(const struct sim *sim, size_t jobs);
/* The event itself: GPUs of a node fall asleep. */
void nodes_fall_asleep(struct sim *sim, uint32_t node);
/* A node fails: none of its GPUs is free; or it is repaired: all are, and awake. */
void nodes_fail(struct sim *sim, uint32_t node);
void nodes_repair(struct sim *sim, uint32_t node);

/* --- node batches --- */
/* Jobs on one node that slow each other down, so that their speeds change together: a node batch.
   One sweep over arrays brings their work up to date, and they have no events, except for a job
   that may end soon. A job is in the batch of its node or has its own progress and event
   (segments.h); this makes no difference to any result. Nothing happens unless jobs interfere.

   A virtual clock of the node would not do: the work of a job is a sum of rounded doubles, one for
   each stretch of constant speed, and must stay the same to the last digit. Only this addition is
   left. A job wakes when it could end at the earliest, alone on its node, and leaves the batch if
   it then has less than a second to go. Waking is no event, because no time passes. */

void node_batches_init(struct sim *sim);
void node_batches_finish(struct sim *sim);

/* Where a job is in the list of its node; 0 where batches do not know. */
static inline uint32_t node_batches_list_place(const struct sim *sim, uint32_t job) {
    bool is_known = SIM_HAS(sim, node_batches.nodes) && sim->runs[job].allocation.count == 1;
    return is_known ? sim->node_batches.jobs[job].list_place : 0;
}
/* Whether a batch is kept on the node: not while a job of several nodes is there. */
static inline bool node_batches_has(const struct sim *sim, uint32_t node) {
    return sim->node_batches.nodes && sim->node_batches.nodes[node].spread == 0;
}
/* Whether the job is in a batch, and what its progress then is. */
static inline bool node_batches_hold(const struct sim *sim, uint32_t job) {
    return SIM_HAS(sim, node_batches.nodes) && sim->node_batches.jobs[job].place > 0;
}
/* For checks: a job that is in a batch is at its place in that of its node. */
bool node_batches_know(const struct sim *sim, uint32_t job);
struct progress node_batches_progress(const struct sim *sim, uint32_t job);
/* When a computing job ends, in a batch or not. */
int64_t node_batches_end_ns(const struct sim *sim, uint32_t job);
/* The batch of a node now runs at another slowdown. */
void node_batches_change_speed(struct sim *sim, uint32_t node, double slowdown);
/* A job that has just got this speed and its event may join. */
void node_batches_join(struct sim *sim, uint32_t job, double slowdown);
/* A job gets its own progress and event, if it is in a batch. */
void node_batches_leave(struct sim *sim, uint32_t job);
/* The time of the next event, after jobs have left that may end by then. */
int64_t node_batches_next_event_ns(struct sim *sim);

#endif
