/* The host scales services (semantics 33.3, 34.4): at ticks replicas are started, GPUs reserved for
   them, jobs displaced, replicas released. */
#ifndef EASIM_ENGINE_SCALING_H
#define EASIM_ENGINE_SCALING_H

#include "engine/replicas.h"

/* The event itself. */
void scaling_tick(struct sim *sim);
/* After a decision: what the cap does not allow is released, the replica of most power first, as
   long as its service keeps its least number. Whether there was any. */
bool scaling_keep_cap(struct sim *sim);

#endif
