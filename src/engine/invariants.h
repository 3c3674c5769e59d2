/* Invariants of a checked run, recomputed from scratch. */
#ifndef EASIM_ENGINE_INVARIANTS_H
#define EASIM_ENGINE_INVARIANTS_H

#include "engine/sim.h"

/* GPUs are conserved on every node and below every switch, each job is in one state and has the
   span of its nodes, committed and metered power equal the
   sum over jobs, and the energy of jobs, idle GPUs and nodes equals the integral of power. The
   first violation fails the run. */
void invariants_check_all(struct sim *sim);
/* To be called after every event. Checks all of it while there are at most 64 jobs to look at; of
   n > 64 jobs only at every n/64-th call, since otherwise a long queue would cost its square. To
   look at are all jobs submitted so far but those in front of the oldest that is not over. */
void invariants_check(struct sim *sim);

#endif
