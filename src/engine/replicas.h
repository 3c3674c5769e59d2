/* Replicas of services (semantics 34.3): each k GPUs of one type in one node, which it takes,
   loads on, and serves with; in placement, view, power and the service alike. */
#ifndef EASIM_ENGINE_REPLICAS_H
#define EASIM_ENGINE_REPLICAS_H

#include "engine/services.h"

/* The least number of each service, ready at t = 0, before any job. */
void replicas_start_first(struct sim *sim);
/* Whether a node has the GPUs of a configuration free. */
bool replicas_fit(const struct sim *sim, const struct replica_config *config);
/* The committed power with one more, which must fit. */
int64_t replicas_committed_with_nw(struct sim *sim, uint32_t service, uint32_t config);
/* Takes the GPUs of a configuration, which must fit, and loads. */
void replicas_start(struct sim *sim, uint32_t service, uint32_t config);
/* Holds the free GPUs of a node, and those that come free there, until it has enough and the cap
   allows it: then it loads. */
void replicas_reserve(struct sim *sim, uint32_t service, uint32_t config, uint32_t node);
/* Reservations get what has come free; true if one of them has enough, and loads. */
bool replicas_take_freed(struct sim *sim);
/* Gives its GPUs back at once, or ends the reservation. */
void replicas_release(struct sim *sim, uint32_t replica);
/* The service of a reservation that has all its GPUs, which the cap keeps from loading; EASIM_NONE:
   there is none. */
uint32_t replicas_kept_by_cap(const struct sim *sim);

/* The event itself: a replica has loaded. */
void replicas_become_ready(struct sim *sim, uint32_t replica);
/* A node fails: its replicas are gone. */
void replicas_fail_node(struct sim *sim, uint32_t node);

#endif
