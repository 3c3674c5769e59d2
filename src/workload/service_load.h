/* Services of a scenario tied to its cluster and models. */
#ifndef EASIM_WORKLOAD_SERVICE_LOAD_H
#define EASIM_WORKLOAD_SERVICE_LOAD_H

#include "config/scenario.h"
#include "workload/service.h"

struct service_surroundings {
    const struct cluster *cluster;
    const struct model_set *models;
    const struct scenario *scenario;
};

/* Finds what bound services (list of struct service) refer to, reads their demand and finds their
   configurations; `min` replicas of all must fit the empty cluster. Negative after adding
   problems. */
int services_load(const struct schema_list *services, const struct service_surroundings *around,
                  const struct binding *binding) MUST_CHECK;

#endif
