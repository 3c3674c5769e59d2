/* Replicas of services (semantics 34.3): each k GPUs of one type in one node, which it takes, loads
   on, and serves with; in placement, view, power and the service alike. */
#ifndef EASIM_ENGINE_REPLICAS_H
#define EASIM_ENGINE_REPLICAS_H

#include "engine/services.h"

/* The least number of each service, ready at t = 0, before any job. */
void replicas_start_first(struct sim *sim);
/* Whether a node has the GPUs of a configuration free. */
bool replicas_fit(const struct sim *sim, const struct replica_config *config);
/* The committed power with one more, which must fit. */
bool replicas_over_cap(struct sim *sim, uint32_t service, uint32_t config);
/* Takes the GPUs of a configuration, which must fit, and loads. */
void replicas_start(struct sim *sim, uint32_t service, uint32_t config);
/* Holds the free GPUs of a node, and those that come free there, until it has enough and the cap
   allows it: then it loads. */
void replicas_reserve(struct sim *sim, uint32_t service, uint32_t config, uint32_t node);
/* Reservations get what has come free; true if one of them has enough, and loads. */
bool replicas_take_freed(struct sim *sim);
/* Gives its GPUs back at once, or ends the reservation. */
void replicas_release(struct sim *sim, uint32_t replica);
/* A service of which the cap keeps a reservation with all its GPUs from loading, or EASIM_NONE. */
uint32_t replicas_kept_by_cap(const struct sim *sim);

/* The event itself: a replica has loaded. */
void replicas_become_ready(struct sim *sim, uint32_t replica);
/* A node fails: its replicas are gone. */
void replicas_fail_node(struct sim *sim, uint32_t node);

/* --- service_view --- */
/* Services as policies that list easim.services see them; others see none. */

/* Number of services, configurations and places to show. */
void service_view_measure(const struct sim *sim, struct view_options *shown);
/* Shows the constant part, before the policy is called for the first time. */
void service_view_init(struct sim *sim);
/* Shows the present state: before every decision, and after every action that scales. */
void service_view_update(struct sim *sim);
/* A service has changed: a decision follows, if the policy scales services. */
void service_view_tell(struct sim *sim);

/* The service and its configuration of a replica configuration; false: no such place. */
bool service_view_find_config(const struct sim *sim, uint32_t replica_config, uint32_t *ret_service,
                              uint32_t *ret_config);
/* The figure of a ready replica at a load, for replica_figure of easim/services.h. */
double service_view_figure(const struct sim *sim, uint32_t replica_config, double load,
                           uint32_t figure);

#endif
