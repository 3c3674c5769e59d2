/* Segments of a job's life (observer.h): here each begins and ends, with its power, its energy and
   its pending event, which is its end. */
#ifndef EASIM_ENGINE_SEGMENTS_H
#define EASIM_ENGINE_SEGMENTS_H

#include "engine/sim.h"

struct share_batch;

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
/* It begins its set-up, or run, on the GPUs of start, which it holds. Owns the allocation. */
void segments_begin_on_gpus(struct sim *sim, const struct job_start *start);
/* The set-up is over, it runs. */
void segments_begin_run(struct sim *sim, uint32_t job);
/* After segments_end: the run goes on, in the next phase of the job's model. */
void segments_go_on(struct sim *sim, uint32_t job);
void segments_begin_checkpoint(struct sim *sim, uint32_t job, int64_t end_ns);

/* The event itself: power limits of GPUs of a type change. */
void segments_change_limits(struct sim *sim, uint32_t gpu_type);
/* Carries out what was decided at this instant about limits and under an enforced cap. */
void segments_settle_limits(struct sim *sim);
/* Ends the segments of jobs whose power an enforced cap may change, so that energy before and after
   now is known apart. They go on. */
void segments_cut_limited(struct sim *sim);
/* A job that runs goes on at another speed; its finish moves. */
void segments_change_speed(struct sim *sim, uint32_t job, double factor);
/* After contention_settle: segments end, in the order of jobs, if another share changes their
   power. Runs that tell segments call it before jobs and batches take their shares. */
void segments_cut_shares(struct sim *sim);
/* A job that runs goes on at the share that contention.h wants for it, and finish and power follow.
   If its power changes its segment ends, too. */
void segments_change_share(struct sim *sim, uint32_t job);

/* --- for jobs that change in place --- */

/* The end of a computing job has come, at this instant. */
bool segments_is_due(const struct sim *sim, uint32_t job);
/* Its speed has changed, so its end has, too. */
void segments_move_end(struct sim *sim, uint32_t job);
/* The event at the end of its present run. */
enum event_kind segments_end_of_run(const struct sim *sim, uint32_t job);
/* The next step of its utilization, if it comes before the job ends. */
void segments_await_utilization(struct sim *sim, uint32_t job);
void segments_cancel_utilization(struct sim *sim, uint32_t job);
/* Its segment ends, if it began before, and the next begins; its power stays metered. */
void segments_cut_in_place(struct sim *sim, uint32_t job, enum segment_cause cause);
/* Its power in the meter: what it draws in its present segment. */
void segments_meter_on(struct sim *sim, uint32_t job);
void segments_meter_off(struct sim *sim, uint32_t job);

/* The present segment as if it ended now, because of `ended`. */
struct segment segments_present(const struct sim *sim, uint32_t job, enum segment_cause ended);

/* --- account --- */
/* Work and energy of a job up to now, including the present segment, for observers and for the end
   of a segment. Nothing is kept here. */

/* Work done, in the unit of its spec, without lost work. */
double account_work_done(const struct sim *sim, uint32_t job);
/* Drawn by its GPUs since energy was last added to its job_run, if they draw present_nw now, and
   while it held them; 1e-18 J. */
int128 account_since(const struct sim *sim, uint32_t job, int64_t present_nw);
int128 account_energy(const struct sim *sim, uint32_t job);
/* GPU time that it held, 1e-12 GPU s; and time. */
int128 account_gpu_ps(const struct sim *sim, uint32_t job);
int64_t account_held_ns(const struct sim *sim, uint32_t job);
/* The part of it that is lost. */
struct lost account_lost(const struct sim *sim, uint32_t job);

/* --- progress --- */
/* The true progress of running jobs. A job that computes does factor * goodput of its
   configuration. The factor is the product of model noise (constant over its life), interference
   (changes with its neighbors) and its share of network and storage; policies see predictions with
   factor 1. A run is the time between a set-up and the next stop. A stretch is a part of a run with
   one factor and one configuration. */

/* Nothing to keep unless there is noise, interference, contention, a model with phases or a
   utilization that changes. */
void progress_init(struct sim *sim);
/* With sim->progress: draws the model noise of a job, exp(sigma z - sigma^2/2), mean 1, from the
 * stream noise/INDEX; rigid jobs: 1. */
void progress_submit(struct sim *sim, uint32_t job);
/* With sim->progress: the factor that a job with GPUs should have now. */
double progress_factor(const struct sim *sim, uint32_t job);
/* Another factor or power from now on, for a job that computes: before that is so. */
void progress_begin_stretch(struct sim *sim, uint32_t job);
/* Sets another configuration from now on, on the same GPUs, for a job that has just done `due` work
   in this run. Work since then, within the nanosecond, counts in the new one already. */
void progress_change_config(struct sim *sim, uint32_t job, uint32_t config, double due);
/* Time for which a job has computed since its set-up, in whatever phase. For a job that computes.
 */
int64_t progress_computing_ns(const struct sim *sim, uint32_t job);
/* Computing time up to the last periodic checkpoint before `computing_ns`; 0 for checkpoints on
   demand. */
int64_t progress_checkpoint_ns(const struct sim *sim, uint32_t job, int64_t computing_ns);
/* Work done in this run by `computing_ns` of computing time: now or the last checkpoint. */
double progress_work(const struct sim *sim, uint32_t job, int64_t computing_ns);
/* Energy of its GPUs up to the same time, 1e-18 J. */
int128 progress_energy(const struct sim *sim, uint32_t job, int64_t computing_ns);
/* The progress of a running job, in a batch (nodes.h) or not; NULL if every job is as fast as
   predicted. If it is kept nowhere, it is filled in at `place`. */
const struct progress *progress_of(const struct sim *sim, uint32_t job, struct progress *place);

/* --- job_finish --- */
/* When a job ends: truly, at the speed it has, and as the policy is told. The two are the same if
   speed is as predicted, work is as requested and no GPU has to wake up. */

/* When a job that holds GPUs will truly be done, or enter the next phase of its model if that is
   first, if its speed stays. */
int64_t job_finish_next_ns(const struct sim *sim, uint32_t job);
/* When a computing job ends by its event, or its batch (nodes.h, contention.h). */
int64_t job_finish_pending_ns(const struct sim *sim, uint32_t job);
/* The time of the next event, after jobs have left batches that may end by then. */
int64_t job_finish_next_event_ns(struct sim *sim);
/* When a job that gets GPUs in a configuration now is expected to be done: set-up and remaining
   work as the view has them, at the predicted speed. */
int64_t job_finish_predicted_ns(const struct sim *sim, uint32_t job, uint32_t config,
                                uint32_t span);
/* The same of a job that goes on computing. */
int64_t job_finish_predicted_on_ns(const struct sim *sim, uint32_t job);

/* --- checkpoint: what a job that is stopped keeps and loses of its work, how long it writes --- */

/* Ways to stop a job: with time for a checkpoint, without, or by a failure, which comes before the
   end of a checkpoint of the same instant. */
enum stop { STOP_ON_DEMAND, STOP_AT_ONCE, STOP_FAILURE };

/* Time for which a job that is stopped now keeps its GPUs to write a checkpoint: one that it begins
   now, or the rest of that of a resize, which is to begin when all GPUs are awake. */
int64_t checkpoint_write_ns(const struct sim *sim, uint32_t job, enum stop stop);
/* Takes off the work done since the run began, as far as a checkpoint keeps it; the rest is lost.
   For a job that still is in the segment in which it is stopped. */
void checkpoint_book_work(struct sim *sim, uint32_t job, enum stop stop);
/* If a checkpoint was being written: notes that it is complete, or takes back the work that it
   was to keep, or, if it may go on, leaves it. */
void checkpoint_book_unsaved(struct sim *sim, uint32_t job, enum stop stop);
/* A resize: as checkpoint_book_work, and the checkpoint, or the rest of the last one's, is charged
   to the set-up on the new GPUs. */
void checkpoint_charge_resize(struct sim *sim, uint32_t job);
/* After that: the job waits wait_ns for the new GPUs before it writes. */
void checkpoint_delay(struct sim *sim, uint32_t job, int64_t wait_ns);

#endif
