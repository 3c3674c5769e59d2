/* A look of the policy at the view, which it must not change. */
#ifndef EASIM_ENGINE_LOOK_H
#define EASIM_ENGINE_LOOK_H

#include "engine/sim.h"

/* Part of the message when the policy of a checked run has changed it. */
#define LOOK_DAMAGE "has written into the view, which is constant"

/* The policy may look from now on; the host writes nothing into the view. */
void look_begins(struct sim *sim);
/* The policy has looked, and the host goes on. Fails the run if the policy has written, as far as a
   part, or `all`, of the view tells. */
void look_ends(struct sim *sim, bool all);

#endif
