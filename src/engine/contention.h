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
    double most;               /* bytes/s that it could read */
    uint32_t loose;            /* its place among those that read and are in no batch, + 1; or 0 */
    uint32_t slot;             /* in its batch */
    struct share_batch *batch; /* NULL: in none */
    double end;                /* of the batch's clock: when it is done */
    int128 before;             /* energy of the batch when it joined */
};

/* --- batches --- */
/* Jobs in one configuration that storage alone holds back: their shares change together. A batch
   keeps share, power and energy once, and has one clock: the work that each of its jobs does. A
   heap orders their ends by this clock.

   The clock alone would not do: the work of a job is a sum of rounded doubles, one for each stretch
   of constant share, and must stay the same to the last digit. What is to be added is noted once
   for all, and added in one sweep over arrays for many stretches. By the clock, and what rounding
   can do to it, easim finds which jobs may end before the next event. These get their own progress
   and event again (segments.h); this makes no difference to any result. */

#define BATCH_STEPS 64 /* stretches between two sweeps */

struct share_batch {
    double most;    /* of each job */
    double share;   /* since rated_ns */
    double goodput; /* at the whole rate, work/s */
    double speed;   /* at the share */
    int64_t rated_ns;
    int64_t power_nw;     /* of each job */
    int128 energy;        /* of a job that is in it since it was empty, up to rated_ns; 1e-18 J */
    double clock;         /* the work of such a job */
    double error;         /* the most by which clock and sums of a job may differ */
    double most_end;      /* of clock */
    struct timeheap ends; /* of jobs, by clock; and of such as have left */
    uint32_t gpu_type;
    uint32_t members;
    ARRAY_OF(uint32_t) jobs; /* by slot; EASIM_NONE: it has left */
    ARRAY_OF(double) work;   /* by slot; steps are missing */
    ARRAY_OF(double) lost_s; /* likewise: storage_lost_s */
    struct {
        double work, lost_s;
        size_t slots; /* those below were there */
    } steps[BATCH_STEPS];
    uint32_t step_count;
};

struct contention {
    bool has_network, has_storage;
    struct max_min network;                      /* bytes/s of each GPU of a job */
    struct one_link storage;                     /* bytes/s of a job */
    uint32_t tier_first[NETWORK_MOST_TIERS + 1]; /* the uplinks of tier t in network.links */
    struct config_rate *rates; /* by configuration and span; iteration_s 0: not asked for yet */
    struct contended *jobs;
    ARRAY_OF(struct max_min_load) loads; /* scratch */
    ARRAY_OF(uint32_t) changed;          /* jobs whose share is to be another one */
    ARRAY_OF(uint32_t) cut;              /* jobs whose segment ends by another share */
    ARRAY_OF(uint32_t) loose;            /* jobs that read and are in no batch */
    ARRAY_OF(uint32_t) new_readers;      /* since contention_settle */
    struct share_batch **batches; /* by configuration and span, NULL: none; NULL: not in use */
    ARRAY_OF(struct share_batch *) made;
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
    if (!SIM_HAS(sim, contention))
        return 1;
    const struct contended *j = &sim->contention->jobs[job];
    return j->batch ? j->batch->share : j->share;
}
/* Power of all GPUs of a computing job, in nW, if its share is, or were, below 1. */
int64_t contention_power_nw(const struct sim *sim, uint32_t job, double share);

/* Whether it reads from storage. */
static inline bool contention_reads(const struct contention *c, uint32_t job) {
    return c->jobs[job].loose > 0 || c->jobs[job].batch;
}

/* Whether shares may have become others since contention_settle. */
bool contention_is_changed(const struct sim *sim);
/* Rates follow; contention->changed then has, in ascending order, the jobs in no batch whose share
   is to become contention_wanted_share. Batches: contention_batch_take_share. */
void contention_settle(struct sim *sim);
double contention_wanted_share(const struct sim *sim, uint32_t job);
/* The job goes on at the wanted share. */
void contention_take_share(struct sim *sim, uint32_t job);

/* Whether a job is in a batch, and what its progress then is. */
static inline bool contention_holds(const struct sim *sim, uint32_t job) {
    return SIM_HAS(sim, contention) && sim->contention->jobs[job].batch;
}
struct progress contention_progress(const struct sim *sim, uint32_t job);
/* Energy that a job in a batch has drawn and that is not in its job_run, up to *ret_from_ns. */
int128 contention_energy(const struct sim *sim, uint32_t job, int64_t *ret_from_ns);
/* Makes contention->cut the jobs of all batches whose power is to change. */
void contention_list_batched(struct sim *sim);
/* All jobs of a batch go on at the share that storage leaves them. */
void contention_batch_take_share(struct sim *sim, struct share_batch *batch);
/* A job that has just got its share may join a batch. */
void contention_join(struct sim *sim, uint32_t job);
/* A job gets its own progress and event, if it is in a batch. */
void contention_release(struct sim *sim, uint32_t job);
/* The time of the next event, after jobs have left batches that may end by then. */
int64_t contention_next_event_ns(struct sim *sim);

/* Seconds of computing time that a job has lost so far, while it did work that was lost later, too:
   the time for which it computed, less what that work takes at its own rate. */
struct contention_lost {
    double network_s, storage_s;
};
struct contention_lost contention_lost_of(const struct sim *sim, uint32_t job);

#endif
