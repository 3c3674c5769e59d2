/* Failures and repairs of nodes (semantics 12.1): times drawn from a stream of each node, or
   recorded ones, so that neither the policy nor another node changes them. */
#ifndef EASIM_ENGINE_FAILURES_H
#define EASIM_ENGINE_FAILURES_H

#include "engine/sim.h"

void failures_init(struct sim *sim);
void failures_finish(struct sim *sim);
/* The events themselves. */
void failures_fail(struct sim *sim, uint32_t node);
void failures_repair(struct sim *sim, uint32_t node);

#endif
