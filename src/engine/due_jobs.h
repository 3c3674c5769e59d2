/* Jobs that are due as they requested, in the mode of published EASY results (decision 0009):
   before a policy decides at an instant, they are over. */
#ifndef EASIM_ENGINE_DUE_JOBS_H
#define EASIM_ENGINE_DUE_JOBS_H

#include "engine/sim.h"

/* Before the first event. */
void due_jobs_init(struct sim *sim);
/* Finishes the running jobs whose true and requested ends are both now; their own events still
   cause a decision each. Nothing unless engine: {coalesce: false, equal_time: arrivals_first}. */
void due_jobs_finish(struct sim *sim);

#endif
