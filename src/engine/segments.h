/* Segments of a job's life (observer.h): here each begins and ends. With a segment its power, its
   energy and the job's pending event, which is the end of it, begin and end. */
#ifndef EASIM_ENGINE_SEGMENTS_H
#define EASIM_ENGINE_SEGMENTS_H

#include "engine/sim.h"

/* GPUs that a start or resize has already taken when the plan accepted it. */
struct job_start {
    uint32_t job;
    uint32_t config;
    struct allocation allocation;
};

/* The event itself: a computing job enters the next step of its utilization. */
void segments_change_utilization(struct sim *sim, uint32_t job);
/* The present segment is over: its end has come, or something else has happened at this instant. */
void segments_end(struct sim *sim, uint32_t job, enum segment_cause cause);
/* It is cut short: the event of its end is cancelled. */
void segments_cut(struct sim *sim, uint32_t job, enum segment_cause cause);

/* The job waits, until somebody starts it. */
void segments_begin_queued(struct sim *sim, uint32_t job);
/* It begins to use the GPUs of start, which it holds: the set-up, or the run if there is none. Owns
   the allocation. */
void segments_begin_on_gpus(struct sim *sim, const struct job_start *start);
/* The set-up is over, it runs. */
void segments_begin_run(struct sim *sim, uint32_t job);
/* After segments_end: the run goes on, in the next phase of the job's model. */
void segments_go_on(struct sim *sim, uint32_t job);
void segments_begin_checkpoint(struct sim *sim, uint32_t job, int64_t end_ns);

/* A job that runs goes on at another speed; its finish moves. */
void segments_change_speed(struct sim *sim, uint32_t job, double factor);
/* A job that runs goes on at the share that contention.h wants for it; so do finish and power, and
   where power is another one its segment ends. */
void segments_change_share(struct sim *sim, uint32_t job);

/* The present segment as if it ended now, because of `ended`. */
struct segment segments_present(const struct sim *sim, uint32_t job, enum segment_cause ended);

#endif
