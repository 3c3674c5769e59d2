/* What each class of event does. */
#ifndef EASIM_ENGINE_EVENTS_H
#define EASIM_ENGINE_EVENTS_H

#include "engine/sim.h"

/* Carries out an event that has come: the state changes, observers hear of it, and whether the
   policy is to decide is in sim->decide_pending. */
void events_apply(struct sim *sim, const struct event *event);

#endif
