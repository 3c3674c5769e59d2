/* Services of a scenario tied to its cluster and models. */
#ifndef EASIM_WORKLOAD_SERVICE_LOAD_H
#define EASIM_WORKLOAD_SERVICE_LOAD_H

#include "config/scenario.h"
#include "workload/service.h"
#include "workload/stream.h"

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
/* The same without their demand, which stays unknown, and not placed. */
int services_load_configs(const struct schema_list *services,
                          const struct service_surroundings *around,
                          const struct binding *binding) MUST_CHECK;

/* A problem if a job of a bound stream is called as a replica of a service would be, which files
   and commands know as a job. prefixed: by the name of the stream. */
void services_check_jobs(const struct schema_list *services, const struct stream *stream,
                         bool prefixed, const struct binding *binding);
/* Reads the log of a loaded service once more, in other bins. */
int service_load_in_bins(struct service *service, double bin_s, const struct model_set *models,
                         const struct binding *binding) MUST_CHECK;

#endif
