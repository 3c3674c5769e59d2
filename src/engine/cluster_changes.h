/* Changes of power cap, price and carbon intensity while a run goes on: one pending event for each
 * series. */
#ifndef EASIM_ENGINE_CLUSTER_CHANGES_H
#define EASIM_ENGINE_CLUSTER_CHANGES_H

#include "engine/sim.h"

/* Puts the values of t = 0 into the view and the first changes into the event set. */
void cluster_changes_init(struct sim *sim);
/* The event of change `which`: its value in the view, the next one in the event set. */
void cluster_changes_apply(struct sim *sim, uint32_t which);
/* An event of another class has happened. */
void cluster_changes_reset_round(struct sim *sim);
/* Fails the run if time would go on to to_ns but the series do not. */
void cluster_changes_check_end(struct sim *sim, int64_t to_ns);
/* Whether nothing but changes of repeated series is to come, and all states that they can be in
   together have been there since anything else happened. */
bool cluster_changes_repeat_only(const struct sim *sim);

#endif
