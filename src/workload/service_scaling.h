/* How the host scales a service (semantics 33.3): what it wants at a tick, which replica comes
   next, which goes. Pure functions; whoever calls them places, loads and releases. */
#ifndef EASIM_WORKLOAD_SERVICE_SCALING_H
#define EASIM_WORKLOAD_SERVICE_SCALING_H

#include "workload/service_configs.h"

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
