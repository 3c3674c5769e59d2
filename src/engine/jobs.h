/* The life of a job: submitted, started, computing, finished; how it is stopped and moved is in
   interrupt.h. Each step keeps placement, power, usage, view and pending events together. */
#ifndef EASIM_ENGINE_JOBS_H
#define EASIM_ENGINE_JOBS_H

#include "engine/sim.h"

/* What an action has already taken when the plan accepted it. */
struct job_start {
    uint32_t job;
    uint32_t config;
    struct allocation allocation;
};

void jobs_submit(struct sim *sim, uint32_t job); /* into the queue, or rejected */
/* Takes GPUs for a start; the view shows the job as running. False if they are not free. */
bool jobs_take_gpus(struct sim *sim, uint32_t job, uint32_t config, struct allocation *allocation);
/* The start itself: set-up, events, power. Owns the allocation. */
void jobs_start(struct sim *sim, const struct job_start *start);
void jobs_begin_computing(struct sim *sim, uint32_t job);
void jobs_finish(struct sim *sim, uint32_t job);
/* A computing job goes on at another speed; its finish moves. */
void jobs_change_speed(struct sim *sim, uint32_t job, double factor);

/* Parts of these steps that interrupt.c repeats. Settles the energy of the present phase and leaves
   its power; the power of the next one. */
void jobs_leave_phase(struct sim *sim, uint32_t job);
void jobs_enter_phase(struct sim *sim, uint32_t job, enum job_phase phase);
/* The view of a job that has its GPUs and starts, or starts again, now. */
void jobs_show_segment(struct sim *sim, uint32_t job, uint32_t config, uint32_t span);
/* After that: those of its GPUs that are not awake yet lengthen its set-up, which no prediction
 * knows. */
void jobs_await_gpus(struct sim *sim, uint32_t job);
/* A job begins to use the GPUs of start, which it holds. */
void jobs_begin_segment(struct sim *sim, const struct job_start *start);
/* Back into the queue, with predictions for the work that is left. */
void jobs_requeue(struct sim *sim, uint32_t job);
/* The job's one pending event. */
void jobs_schedule(struct sim *sim, int64_t time_ns, enum event_kind kind, uint32_t job);

/* Rank of an event class among the events of one instant. */
uint32_t jobs_rank(const struct sim *sim, enum event_kind kind);
/* ns that a computation of time_s takes (semantics 10.1), at most TIME_MAX_S. */
int64_t jobs_duration_ns(double time_s);

#endif
