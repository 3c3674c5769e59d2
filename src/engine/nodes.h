/* What goes on at a node beside the segments of jobs: which jobs are there, how they slow each
   other down, and which free GPUs sleep. Off, and without cost, unless the cluster has failures,
   interference or sleep. What follows from changes waits for settle.h. */
#ifndef EASIM_ENGINE_NODES_H
#define EASIM_ENGINE_NODES_H

#include "engine/sim.h"

void nodes_init(struct sim *sim);
void nodes_finish(struct sim *sim);

/* With sleep: a job takes GPUs of a node from the free ones, which returns when they are awake;
   and gives back all that it holds there. Job EASIM_NONE: nobody in particular; they come back
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
/* What the goodput of a job is divided by: 1 + slowdown_per_neighbour * other jobs on a node, the
   most over its nodes. */
double nodes_slowdown(const struct sim *sim, uint32_t job);
/* The same for a job of one node where so many are. */
double nodes_slowdown_of(const struct sim *sim, size_t jobs);
/* The event itself: GPUs of a node fall asleep. */
void nodes_fall_asleep(struct sim *sim, uint32_t node);
/* A node fails: none of its GPUs is free; or it is repaired: all are, and awake. */
void nodes_fail(struct sim *sim, uint32_t node);
void nodes_repair(struct sim *sim, uint32_t node);

#endif
