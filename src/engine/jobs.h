/* The life of a job: submitted, started, finished; how it is stopped or moved is in interrupt.h and
   job_resize.h, what it does in between in segments.h. Each step keeps placement, power, usage,
   view and pending events together. */
#ifndef EASIM_ENGINE_JOBS_H
#define EASIM_ENGINE_JOBS_H

#include "engine/segments.h"

/* A job is there, known to the view with predictions, but neither in the queue nor rejected yet. */
void jobs_arrive(struct sim *sim, uint32_t job);
void jobs_submit(struct sim *sim, uint32_t job); /* into the queue */
void jobs_reject(struct sim *sim, uint32_t job, const char *reason);
/* Takes GPUs for a start; the view shows the job as running. False if they are not free. */
bool jobs_take_gpus(struct sim *sim, uint32_t job, uint32_t config, struct allocation *allocation);
/* The start itself: set-up, events, power. Owns the allocation. */
void jobs_start(struct sim *sim, const struct job_start *start);
void jobs_finish(struct sim *sim, uint32_t job);

/* Steps that jobs.c shares with interrupt.c and job_resize.c. Shows a job that has got GPUs and
   starts, or starts again, now. */
void jobs_show_start(struct sim *sim, uint32_t job, uint32_t config, uint32_t span);
/* After that: adds to its set-up, and to a checkpoint that it is to write, the time until all its
   GPUs are awake. The predicted end is that without: no prediction counts it. */
void jobs_add_wake_time(struct sim *sim, uint32_t job);
/* Back into the queue, with predictions for the work that is left. */
/* A waiting job leaves the queue, in view, index and counts of who waits for which GPUs. */
void jobs_leave_queue(struct sim *sim, uint32_t job);
void jobs_requeue(struct sim *sim, uint32_t job);

#endif
