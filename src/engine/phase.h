/* The phases of a job's model (semantics 15): which there are, and which a job is in by the work it
   has left. What follows for the job is in job_phase.h. Inline where every event asks. */
#ifndef EASIM_ENGINE_PHASE_H
#define EASIM_ENGINE_PHASE_H

#include "engine/sim.h"

/* The configurations of a job in its present phase: the sets of the phases of one request stand one
   after the other (config_table.h). */
static inline const struct config_set *phase_set(const struct sim *sim, uint32_t job) {
    return &sim->workload->table.sets.at[sim->workload->jobs.at[job].set + sim->runs[job].phase];
}

/* Whether the present phase is the last one; so it is where the model has none. */
static inline bool phase_is_last(const struct sim *sim, uint32_t job) {
    return !sim->workload->table.has_phases || phase_set(sim, job)->until == 1;
}

/* Work left when the present phase ends; 0 in the last one. */
static inline double phase_end_work(const struct sim *sim, uint32_t job) {
    if (!sim->workload->table.has_phases)
        return 0;
    return sim->workload->jobs.at[job].work * (1 - phase_set(sim, job)->until);
}

/* The phase of a job with so much work left. One that is over but for rounding is over. */
uint8_t phase_of_work(const struct sim *sim, uint32_t job, double remaining);

#endif
