/* Services: their demand, backlog and power (semantics 34). A service is settled, that is, brought
   up to now, before anything about it changes, and refreshed after it: then its replicas have the
   load, the power and the pending event of what it has now. */
#ifndef EASIM_ENGINE_SERVICES_H
#define EASIM_ENGINE_SERVICES_H

#include "engine/sim.h"
#include "workload/service.h"

#define SERVICE_WINDOW_INTERVALS 3 /* whose most demand a tick looks at */

/* Without replicas; demands of t = 0. */
void services_init(struct sim *sim);
void services_finish(struct sim *sim);
const struct service *services_spec(const struct sim *sim, uint32_t service);

void services_settle(struct sim *sim, uint32_t service);
void services_refresh(struct sim *sim, uint32_t service);
/* All of them, for those who read figures of now. */
void services_settle_all(struct sim *sim);

/* The events themselves. */
void services_change_demand(struct sim *sim);
void services_change_flow(struct sim *sim, uint32_t service);

/* Tokens that wait now, of a service that may not have been settled. */
double services_backlog(const struct sim *sim, uint32_t service);
/* At a tick: from some backlog on it can only grow. */
void services_note_backlog(struct sim *sim, uint32_t service, double backlog);
/* A tick is to come at once. */
void services_tick_now(struct sim *sim);
/* The event of the earliest tick. */
void services_await_tick(struct sim *sim);
/* Most demand from from_ns up to now. */
double services_most_demand(struct sim *sim, uint32_t service, int64_t from_ns);
/* Events of services, which alone help no waiting job for ever (cluster_signals.h). */
uint32_t services_push(struct sim *sim, int64_t time_ns, enum event_kind kind, uint32_t payload);
void services_cancel(struct sim *sim, uint32_t event);

#endif
