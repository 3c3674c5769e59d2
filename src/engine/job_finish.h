/* When a job ends: truly, at the speed it has, and as the policy is told. The two are the same
   where speed is as predicted, work is as requested and no GPU has to wake up. */
#ifndef EASIM_ENGINE_JOB_FINISH_H
#define EASIM_ENGINE_JOB_FINISH_H

#include "engine/sim.h"

/* When a job that holds GPUs will truly be done, or enter the next phase of its model if that is
   first, if its speed stays. */
int64_t job_finish_next_ns(const struct sim *sim, uint32_t job);
/* When it will truly have done so much work of its present run, likewise. */
int64_t job_finish_work_ns(const struct sim *sim, uint32_t job, double work);
/* When a job that gets GPUs in a configuration now is expected to be done: set-up and remaining
   work as the view has them, at the predicted speed. */
int64_t job_finish_predicted_ns(const struct sim *sim, uint32_t job, uint32_t config,
                                uint32_t span);
/* The same of a job that goes on computing. */
int64_t job_finish_predicted_on_ns(const struct sim *sim, uint32_t job);

#endif
