/* Services as policies with SERVICES see them (easim/services.h); others see none. */
#ifndef EASIM_ENGINE_SERVICE_VIEW_H
#define EASIM_ENGINE_SERVICE_VIEW_H

#include "engine/replicas.h"

/* How many there are to show. */
void service_view_measure(const struct sim *sim, struct view_options *shown);
/* What stays as it is, before the policy is called for the first time. */
void service_view_init(struct sim *sim);
/* What is now: before every decision, and after every action that scales. */
void service_view_update(struct sim *sim);
/* A service has changed: a decision follows, if the policy scales services. */
void service_view_tell(struct sim *sim);

/* The service, and its configuration there, of a place in view->replica_configs; false: there is no
   such place. */
bool service_view_find_config(const struct sim *sim, uint32_t replica_config, uint32_t *ret_service,
                              uint32_t *ret_config);
/* Of a ready replica at a load, as host->replica_figure says. */
double service_view_figure(const struct sim *sim, uint32_t replica_config, double load,
                           uint32_t figure);

#endif
