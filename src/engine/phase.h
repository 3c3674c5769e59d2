/* The phases of a job's model (semantics 15): which there are, and which a job is in by the work it
   has left. What follows for the job is in job_phase.h. */
#ifndef EASIM_ENGINE_PHASE_H
#define EASIM_ENGINE_PHASE_H

#include "engine/sim.h"

/* The configurations of a job in its present phase. */
const struct config_set *phase_set(const struct sim *sim, uint32_t job);
/* Whether the present phase is the last one; so it is where the model has none. */
bool phase_is_last(const struct sim *sim, uint32_t job);
/* Work left when the present phase ends; 0 in the last one. */
double phase_end_work(const struct sim *sim, uint32_t job);
/* The phase of a job with so much work left. One that is over but for rounding is over. */
uint8_t phase_of_work(const struct sim *sim, uint32_t job, double remaining);

#endif
