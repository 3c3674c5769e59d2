/* Which replicas a service can have on a cluster (semantics 33.2). */
#ifndef EASIM_WORKLOAD_SERVICE_CONFIGS_H
#define EASIM_WORKLOAD_SERVICE_CONFIGS_H

#include "workload/service.h"

#include <stdint.h>

#define SERVICE_NO_CONFIG UINT32_MAX

/* Finds the feasible configurations of a service whose model and objective are set; a problem that
   says of each why not if there is none. Negative after adding it. */
int service_configs_find(struct service *service, const struct cluster *cluster,
                         const struct model *model, const struct binding *binding) MUST_CHECK;

/* The best of a service's configurations by its scaling.objective, each at the load
   min(1, per_s / (others_per_s + its most_per_s)); per_s 0: at scaling.target. Ties, to 1e-12: the
   first. fits: by configuration, which take part; NULL: all. SERVICE_NO_CONFIG if none does. */
uint32_t service_configs_best(const struct service *service, double per_s, double others_per_s,
                              const bool *fits);

/* What replicas.max of them give a second where they are alone on the cluster, those on the GPU
   types that give most first; with several k on a type perhaps more, never less. */
double service_configs_most_per_s(const struct service *service, const struct cluster *cluster);

#endif
