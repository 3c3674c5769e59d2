/* Invariants of a run, recomputed from scratch after every event of a checked run. */
#ifndef EASIM_ENGINE_CHECK_H
#define EASIM_ENGINE_CHECK_H

#include "engine/sim.h"

/* GPUs are conserved on every node, each job is in one state, committed and metered power equal the sum over jobs,
   and the energy of jobs, idle GPUs and nodes equals the integral of power. The first violation fails the run. */
void check_invariants(struct sim *sim);

#endif
