/* Whether a job that arrives goes into the queue or is rejected, for ever. */
#ifndef EASIM_ENGINE_ADMISSION_H
#define EASIM_ENGINE_ADMISSION_H

#include "engine/sim.h"

/* The arrival of a job: into the queue, or rejected. */
void admission_submit(struct sim *sim, uint32_t job);

#endif
