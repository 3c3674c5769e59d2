/* What --check asks of shares (semantics 35.4), from the allocations of jobs: no uplink and no
   storage carries more than it can; who has less than it could use is on a full one where nobody
   has more. */
#ifndef EASIM_ENGINE_CONTENTION_CHECK_H
#define EASIM_ENGINE_CONTENTION_CHECK_H

#include "engine/sim.h"

/* With contention: fails the run if that is not so. */
void contention_check(struct sim *sim);

#endif
