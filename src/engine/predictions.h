/* What the view tells of a job's future on the empty cluster: T*, EDP* and the configuration of T*
   (semantics 4), with the configurations of its present phase. */
#ifndef EASIM_ENGINE_PREDICTIONS_H
#define EASIM_ENGINE_PREDICTIONS_H

#include "engine/sim.h"

/* For the work that is left and the set-up, as the view has them. */
void predictions_update(struct sim *sim, uint32_t job);

#endif
