/* Phases of models: see phase.h. */
#include "engine/phase.h"

#define ROUNDING 1e-11 /* of a job's work: above what sums of doubles and a nanosecond do to it */

uint8_t phase_of_work(const struct sim *sim, uint32_t job, double remaining) {
    const struct job_spec *spec = &sim->workload->jobs.at[job];
    const struct config_set *first = &sim->workload->table.sets.at[spec->set];
    uint8_t phase = 0;
    while (first[phase].until < 1 && remaining <= spec->work * (1 - first[phase].until + ROUNDING))
        phase++;
    return phase;
}
