/* Services of a scenario tied to its cluster and models. */
#ifndef EASIM_WORKLOAD_SERVICE_LOAD_H
#define EASIM_WORKLOAD_SERVICE_LOAD_H

#include "config/scenario.h"
#include "workload/service.h"
#include "workload/stream.h"

#include <stdint.h>

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

/* --- service_configs: which replicas a service can have on a cluster (semantics 33.2) --- */

#define SERVICE_NO_CONFIG UINT32_MAX

/* The best of a service's configurations by its scaling.objective, each at the load
   min(1, per_s / (others_per_s + its most_per_s)); per_s 0: at scaling.target. Ties, to 1e-12: the
   first. fits: by configuration, which take part; NULL: all. SERVICE_NO_CONFIG if none does. */
uint32_t service_configs_best(const struct service *service, double per_s, double others_per_s,
                              const bool *fits);

/* What replicas.max of them give a second where they are alone on the cluster, those on the GPU
   types that give most first; with several k on a type perhaps more, never less. */
double service_configs_most_per_s(const struct service *service, const struct cluster *cluster);

/* --- service_scaling --- */
/* How the host scales a service (semantics 33.3): replicas wanted at a tick, which one comes next,
   which goes. Pure functions; the caller places, loads and releases. */

/* What has happened in the window of a tick: demand over [now - 3 interval, now] at its most, and
   the backlog of now, tokens or outputs. */
struct scaling_need {
    double most_per_s, backlog;
};

/* Capacity that is meant to serve it: most / target + backlog / down_after. */
double service_scaling_wanted(const struct service *service, const struct scaling_need *need);

/* Replicas of a service, of all states. */
struct scaling_supply {
    double per_s; /* capacity of those that are ready, loading or reserved */
    int64_t count;
};

struct scaling_addition {
    uint32_t config; /* SERVICE_NO_CONFIG: none is missing, or there are `max` */
    bool reserves;   /* none fits now: it is to wait for GPUs */
};

/* The next replica to add in this tick; to be asked again, the supply with it, until there is none.
   fits: by configuration, whether it finds GPUs now. */
struct scaling_addition service_scaling_add(const struct service *service,
                                            const struct scaling_need *need,
                                            const struct scaling_supply *supply, const bool *fits);

/* A replica that holds GPUs, ready or loading. */
struct scaling_replica {
    uint32_t config;
    int64_t spare_since_ns; /* from which tick on the others met what was wanted; TIME_NONE_NS: they
                               do not, or there was no tick yet */
};

/* Notes at a tick which of the replicas, in order of their start, are spare. */
void service_scaling_note(const struct service *service, double wanted, int64_t now_ns,
                          struct scaling_replica *replicas, size_t count);

/* After service_scaling_note: the one replica that this tick releases; count: none. Of those that
   were spare for down_after the one of most J per token at load target, then the last. */
size_t service_scaling_release(const struct service *service, double backlog, int64_t now_ns,
                               const struct scaling_replica *replicas, size_t count);
/* When the next one is due if nothing changes before; TIME_NONE_NS: none. */
int64_t service_scaling_due_ns(const struct service *service,
                               const struct scaling_replica *replicas, size_t count);

#endif
