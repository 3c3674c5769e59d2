/* Phases of a model as a job goes through them (semantics 15): forth while it computes, and back
   with the work it loses. Its configurations in the view are always those of its phase. */
#ifndef EASIM_ENGINE_JOB_PHASE_H
#define EASIM_ENGINE_JOB_PHASE_H

#include "engine/sim.h"

/* The event itself: a computing job enters the next phase, with the batch that it takes there. */
void job_phase_enter(struct sim *sim, uint32_t job);
/* Some work of a job that is in no run may have been lost: the phase follows. Returns whether it is
   another one. */
bool job_phase_follow(struct sim *sim, uint32_t job);
/* Likewise of a job that has just got GPUs in config by a resize; returns the configuration it
   takes on them. */
uint32_t job_phase_follow_on_gpus(struct sim *sim, uint32_t job, uint32_t config, uint32_t span);

#endif
