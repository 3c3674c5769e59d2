/* Phases of models: see phase.h. */
#include "engine/phase.h"

#define ROUNDING 1e-11 /* of a job's work: above what sums of doubles and a nanosecond do to it */

/* Sets of the phases of one request stand one after the other (config_table.h). */
static const struct config_set *set_of(const struct sim *sim, uint32_t job, uint32_t phase) {
    return &sim->workload->table.sets.at[sim->workload->jobs.at[job].set + phase];
}

const struct config_set *phase_set(const struct sim *sim, uint32_t job) {
    return set_of(sim, job, sim->runs[job].phase);
}

bool phase_is_last(const struct sim *sim, uint32_t job) {
    return phase_set(sim, job)->until == 1;
}

double phase_end_work(const struct sim *sim, uint32_t job) {
    return sim->workload->jobs.at[job].work * (1 - phase_set(sim, job)->until);
}

uint8_t phase_of_work(const struct sim *sim, uint32_t job, double remaining) {
    double work = sim->workload->jobs.at[job].work;
    uint8_t phase = 0;
    while (set_of(sim, job, phase)->until < 1 &&
           remaining <= work * (1 - set_of(sim, job, phase)->until + ROUNDING))
        phase++;
    return phase;
}
