/* Invariants of a checked run, recomputed from scratch. */
#ifndef EASIM_ENGINE_INVARIANTS_H
#define EASIM_ENGINE_INVARIANTS_H

#include "engine/sim.h"

/* GPUs are conserved on every node, each job is in one state, committed and metered power equal the
   sum over jobs, and the energy of jobs, idle GPUs and nodes equals the integral of power. The
   first violation fails the run. */
void invariants_check_all(struct sim *sim);
/* The same after an event: of every event while at most 64 jobs are in the system (the oldest of
   them and all that came later), of every n/64-th with n jobs, so that a long queue does not cost
   its square. */
void invariants_check(struct sim *sim);

#endif
