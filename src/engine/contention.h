/* Resources that computing jobs share in addition to GPUs and nodes: uplinks of the network, and
   storage (semantics 35). A job computes at a share of its rate, which is 1 if nothing limits it.
   First the network takes its share of the rate, then storage its share of the rest.

   Off, and without cost, unless the cluster has contention or storage. This file has the shares;
   loop.h changes the progress of the jobs. */
#ifndef EASIM_ENGINE_CONTENTION_H
#define EASIM_ENGINE_CONTENTION_H

#include "cluster/max_min.h"
#include "engine/sim.h"
#include "model/config_rate.h"

/* Shares of the rate of a computing job, and what it has lost by them so far. */
struct contended {
    double network, share; /* what the network leaves of the rate, and storage of that: the share */
    int64_t since_ns;      /* lost_* are counted up to then */
    double network_lost_s, storage_lost_s;
};

struct contention {
    bool has_network, has_storage;
    struct max_min network, storage;             /* bytes/s: of each GPU of a job; of a job */
    uint32_t tier_first[NETWORK_MOST_TIERS + 1]; /* the uplinks of tier t in network.links */
    struct config_rate *rates; /* by configuration and span; iteration_s 0: not asked for yet */
    struct contended *jobs;
    ARRAY_OF(struct max_min_load) loads; /* scratch */
    ARRAY_OF(uint32_t) changed;          /* jobs whose share is to be another one */
};

void contention_init(struct sim *sim);
void contention_finish(struct sim *sim);

/* A job begins to compute, its own speed and with it its greatest share change, or it stops. */
void contention_begin(struct sim *sim, uint32_t job);
void contention_enter(struct sim *sim, uint32_t job);
void contention_leave(struct sim *sim, uint32_t job);
/* A job has got GPUs: nothing holds it back until somebody looks. */
void contention_reset(struct sim *sim, uint32_t job);

/* The share at which a job computes; 1 without contention. */
static inline double contention_share(const struct sim *sim, uint32_t job) {
    return sim->contention ? sim->contention->jobs[job].share : 1;
}
/* Power of all GPUs of a computing job, in nW, if its share is, or were, below 1. */
int64_t contention_power_nw(const struct sim *sim, uint32_t job, double share);

/* Whether shares may have become others since contention_settle. */
bool contention_is_changed(const struct sim *sim);
/* Rates follow; contention->changed then has, in ascending order, the jobs whose share is to become
   contention_wanted_share. */
void contention_settle(struct sim *sim);
double contention_wanted_share(const struct sim *sim, uint32_t job);
/* The job goes on at the wanted share. */
void contention_take_share(struct sim *sim, uint32_t job);

/* Seconds of computing time that a job has lost so far, while it did work that was lost later, too:
   the time for which it computed, less what that work takes at its own rate. */
struct contention_lost {
    double network_s, storage_s;
};
struct contention_lost contention_lost_of(const struct sim *sim, uint32_t job);

#endif
