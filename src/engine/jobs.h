/* The life of a job: submitted, started, computing, preempted, finished. Each step keeps placement, power, usage,
   view and pending events together. */
#ifndef EASIM_ENGINE_JOBS_H
#define EASIM_ENGINE_JOBS_H

#include "engine/sim.h"

/* What an action has already taken when the plan accepted it. */
struct job_start {
    uint32_t job;
    uint32_t config;
    struct allocation allocation;
};

/* Fills in sim->set_over_cap. The cluster must be empty. */
void jobs_find_sets_over_cap(struct sim *sim);
void jobs_submit(struct sim *sim, uint32_t job); /* into the queue, or rejected */
/* Takes GPUs for a start; the view shows the job as running. False if they are not free. */
bool jobs_take_gpus(struct sim *sim, uint32_t job, uint32_t config, struct allocation *allocation);
/* Undoes jobs_take_gpus and empties the allocation. */
void jobs_untake_gpus(struct sim *sim, uint32_t job, uint32_t config, struct allocation *allocation);
/* The start itself: set-up, events, power. Owns the allocation. */
void jobs_start(struct sim *sim, const struct job_start *start);
void jobs_begin_computing(struct sim *sim, uint32_t job);
void jobs_finish(struct sim *sim, uint32_t job);
/* A running job is to be preempted: its GPUs come free now, unless it is to write a checkpoint first (which it may
   not if at_once). */
void jobs_yield_gpus(struct sim *sim, uint32_t job, bool at_once);
/* The preemption itself, after jobs_yield_gpus: back to the queue, or into the checkpoint. */
void jobs_preempt(struct sim *sim, uint32_t job, bool at_once);
/* Moves a running job to other GPUs, of which its own may be some; the view shows it in config. False, with nothing
   changed, if they are not free. */
bool jobs_swap_gpus(struct sim *sim, uint32_t job, uint32_t config, struct allocation *allocation);
/* The resize itself, after jobs_swap_gpus. Owns the allocation. */
void jobs_resize(struct sim *sim, const struct job_start *start);
void jobs_release(struct sim *sim, uint32_t job); /* the checkpoint is written: GPUs free, back to the queue */

/* One of its nodes fails: work since the last complete checkpoint is lost, all GPUs free, back to the queue. */
void jobs_fail(struct sim *sim, uint32_t job);
/* A computing job goes on at another speed; its finish moves. */
void jobs_change_speed(struct sim *sim, uint32_t job, double factor);

/* What would happen if a waiting job were started, or a running one resized, in config now: enum easim_span or
   EASIM_NOFIT, and sim->committed_nw. */
int jobs_try_config(struct sim *sim, uint32_t job, uint32_t config, int64_t *ret_committed_nw);

/* Thousandths of GPUs that a job holds in config. */
int64_t jobs_held_milli(const struct sim *sim, uint32_t config);
/* Power of all that a job holds in its present phase, nW. */
int64_t jobs_phase_nw(const struct sim *sim, uint32_t job);
/* What it counts against the power cap in config: at the higher of its computing power and ctx_w, nW. */
int64_t jobs_committed_nw(const struct sim *sim, uint32_t config, uint32_t span);
/* Rank of an event class among the events of one instant. */
uint32_t jobs_rank(const struct sim *sim, enum event_kind kind);
/* ns that a computation of time_s takes: ceil(T*1e9 - 0.001), at most TIME_MAX_S (SPEC 2). */
int64_t jobs_duration_ns(double time_s);

#endif
