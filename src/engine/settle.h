/* What follows from changes at nodes, after all changes of an event or decision. */
#ifndef EASIM_ENGINE_SETTLE_H
#define EASIM_ENGINE_SETTLE_H

#include "engine/sim.h"

/* New speeds of neighbours, next times to fall asleep. */
void settle_nodes(struct sim *sim);

#endif
