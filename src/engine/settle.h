/* What follows from changes at nodes and in what jobs share, after all changes of an event or
 * decision. */
#ifndef EASIM_ENGINE_SETTLE_H
#define EASIM_ENGINE_SETTLE_H

#include "engine/sim.h"

/* New speeds of neighbours, next times to fall asleep. */
void settle_nodes(struct sim *sim);
/* After that, with contention: new shares of network and storage. */
void settle_contention(struct sim *sim);

#endif
