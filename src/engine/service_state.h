/* Services and their replicas while a run goes on. Header only: data of struct sim. */
#ifndef EASIM_ENGINE_SERVICE_STATE_H
#define EASIM_ENGINE_SERVICE_STATE_H

#include "base/array.h"
#include "cluster/placement.h"
#include "cluster/power_meter.h"
#include "config/series.h"
#include "engine/service_flow.h"

enum replica_phase {
    REPLICA_GONE,     /* a free place in services->replicas */
    REPLICA_RESERVED, /* holds free GPUs of one node, of which it has not enough yet */
    REPLICA_LOADING,
    REPLICA_READY,
};

/* Demand of a stretch of time. */
struct demand_stretch {
    double per_s;
    int64_t end_ns; /* INT64_MAX: it has not ended */
};

struct replica {
    struct allocation allocation; /* in one node; reserved: what it has so far, perhaps nothing */
    uint32_t service, number;     /* its name is SERVICE#NUMBER, numbers from 1 */
    uint32_t config;              /* of those of the service */
    uint32_t node;
    uint32_t event;             /* it is ready, or EVENT_NONE */
    uint8_t phase;              /* enum replica_phase */
    int64_t since_ns, awake_ns; /* since when in this phase; when all its GPUs are awake */
    int64_t spare_since_ns;     /* semantics 33.3; TIME_NONE_NS: it is not */
};

/* The replicas of a service in one configuration: those that are ready run alike. */
struct replica_group {
    uint32_t ready, loading;
    double running, latency_ms;              /* requests of each ready one, and its latency, now */
    int64_t ready_nw;                        /* likewise, of all its GPUs */
    int64_t loading_nw;                      /* of each that loads */
    int64_t most_nw;                         /* that each counts against the power cap */
    uint32_t ready_metered, loading_metered; /* of which the meter knows */
};

/* A service, as of settled_ns. */
struct service_run {
    struct series_cursor demand;
    double demand_per_s, capacity_per_s; /* capacity: of the ready replicas together */
    double backlog;                      /* tokens */
    double demanded, served, dropped;    /* tokens so far */
    int64_t settled_ns;
    enum service_flow flow;
    bool over_wait;               /* what comes in waits longer than wait_s */
    struct flow_change next;      /* of the flow, by itself */
    int64_t next_ns;              /* of that; TIME_NONE_NS: none */
    uint32_t event;               /* its event, or EVENT_NONE */
    int128 energy, gpu_ps;        /* of its replicas so far, 1e-18 J and 1e-12 GPU s */
    int64_t nw, milli;            /* of all its replicas now */
    struct replica_group *groups; /* by configuration */
    ARRAY_OF(uint32_t) replicas;  /* in services->replicas, in order of start */
    uint32_t ready, loading, reserved;
    uint32_t last_number; /* of a replica */
    uint64_t scale_ups;   /* replicas after those of t = 0 */
    uint64_t preemptions; /* of jobs, for its replicas */
    /* Scaling: past demands that no later one was above, the greatest first; the tick that comes
       (TIME_NONE_NS: none would change anything), and the last one. */
    ARRAY_OF(struct demand_stretch) window;
    size_t window_first;
    int64_t tick_ns, last_tick_ns;
    double lasting_backlog; /* above it, all replicas and reservations stay for ever */
    bool only_grows;        /* it has been */
};

struct services {
    struct service_run *runs; /* by service; NULL: there is none */
    uint32_t count;
    ARRAY_OF(struct replica) replicas;
    ARRAY_OF(uint32_t) gone;          /* places there that are free */
    uint32_t pending;                 /* events of services in the event set */
    uint32_t reserved, reserved_gpus; /* of all services */
    uint32_t tick_event;              /* of the earliest tick_ns, or EVENT_NONE */
    bool in_tick;                     /* that event is being applied */
    bool by_policy;                   /* the policy scales them: there are no ticks */
    /* Of services whose replicas may still go. */
    int64_t round_ns; /* all repeated demands together come again after it; 0: none is
                         repeated */
    int64_t after_ns; /* longest down_after */
};

#endif
