/* Draws the worlds of a scenario, each one in which it can be loaded (semantics 17.1). */
#ifndef EASIM_EXPERIMENT_WORLDS_WORLD_DRAWS_H
#define EASIM_EXPERIMENT_WORLDS_WORLD_DRAWS_H

#include "experiment/worlds/worlds.h"

#define WORLDS_MOST_DRAWS 1000 /* in a row, for one value that is to be taken */

/* Finds the units of worlds whose `central` and `source` are given, and draws all worlds. Negative
   after adding problems: a parameter whose law has no value that the scenario takes, a covariance
   that is none. worlds_finish in any case. */
int worlds_draw(struct worlds *worlds, struct problems *problems) MUST_CHECK;

#endif
