/* Rigid jobs whose utilization changes with their progress (semantics 21): which value holds. A
   step changes the power of a job and nothing else: policies know the mean, and finishes keep their
   events. Where steps begin is in segments.h. */
#ifndef EASIM_ENGINE_UTILIZATION_H
#define EASIM_ENGINE_UTILIZATION_H

#include "engine/sim.h"

/* Nothing to keep unless the utilization of some job is known over time. */
void utilization_init(struct sim *sim);

static inline bool utilization_changes(const struct sim *sim, uint32_t job) {
    return sim->uses && sim->workload->jobs.at[job].utilization;
}

/* Of a job whose utilization changes: a run begins, with the work it has left. */
void utilization_begin(struct sim *sim, uint32_t job);
/* The value that holds in its run now. */
double utilization_present(const struct sim *sim, uint32_t job);
/* Work that is left of it when the next step begins; negative if there is none. */
double utilization_next_work(const struct sim *sim, uint32_t job);

#endif
