/* The true progress of running jobs. A job that computes does factor * goodput of its
   configuration, where factor stands for model noise (constant over its life), interference
   (changes with its neighbours) and its share of network and storage; policies see predictions with
   factor 1. A run is what a job does between a set-up and the next stop; time with one factor and
   one configuration is a stretch of it. */
#ifndef EASIM_ENGINE_PROGRESS_H
#define EASIM_ENGINE_PROGRESS_H

#include "engine/sim.h"

/* Nothing to keep unless there is noise, interference, contention, a model with phases or a
   utilization that changes. */
void progress_init(struct sim *sim);
/* With sim->progress: draws the model noise of a job, exp(sigma z - sigma^2/2), mean 1, from the
 * stream noise/INDEX; rigid jobs: 1. */
void progress_submit(struct sim *sim, uint32_t job);
/* With sim->progress: the factor that a job with GPUs should have now. */
double progress_factor(const struct sim *sim, uint32_t job);
/* A job has got GPUs, or its run begins: nothing is done yet, with the factor it has now. */
void progress_begin(struct sim *sim, uint32_t job);
/* Another factor from now on, for a job that computes. */
void progress_change(struct sim *sim, uint32_t job, double factor);
/* The share that contention.h wants for it from now on, likewise, with the power of that. */
void progress_change_share(struct sim *sim, uint32_t job);
/* Another power from now on, for a job that computes: before that is so. */
void progress_change_power(struct sim *sim, uint32_t job);
/* Another configuration from now on, on the same GPUs, for a job that has just done `due` work in
   this run. What it did since then, within the nanosecond, it did in the new one already. */
void progress_change_config(struct sim *sim, uint32_t job, uint32_t config, double due);
/* Time for which a job has computed since its set-up, in whatever phase. For a job that computes.
 */
int64_t progress_computing_ns(const struct sim *sim, uint32_t job);
/* Work done in this run by `computing_ns` of computing time, which is now or the last
 * checkpoint. */
double progress_work(const struct sim *sim, uint32_t job, int64_t computing_ns);
/* What its GPUs have drawn until then, likewise, 1e-18 J. */
int128 progress_energy(const struct sim *sim, uint32_t job, int64_t computing_ns);
/* Of a running job, in a convoy (convoys.h) or not; NULL if every job is as fast as predicted.
   Filled in at `place` where it is nowhere. */
const struct progress *progress_of(const struct sim *sim, uint32_t job, struct progress *place);
/* True goodput of a job with GPUs: factor * goodput of its configuration, units of work a second.
 */
double progress_speed(const struct sim *sim, uint32_t job);
/* Set-up on the GPUs that it has got, their waking included. */
int64_t progress_setup_ns(const struct sim *sim, uint32_t job);
/* Computing time up to the last periodic checkpoint before `computing_ns`; 0 for checkpoints on
 * demand. */
int64_t progress_checkpoint_ns(const struct sim *sim, uint32_t job, int64_t computing_ns);

#endif
