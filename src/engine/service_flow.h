/* The change of a service's backlog over time (semantics 34.1): the requests are a fluid, and
   between two changes all rates are constant. Pure functions. */
#ifndef EASIM_ENGINE_SERVICE_FLOW_H
#define EASIM_ENGINE_SERVICE_FLOW_H

#include <stdbool.h>

enum service_flow {
    SERVICE_FLOW_DOWN,       /* no replica is ready: what comes in waits */
    SERVICE_FLOW_EVEN,       /* what comes in is served */
    SERVICE_FLOW_BACKLOG,    /* replicas run at capacity */
    SERVICE_FLOW_AT_TIMEOUT, /* the same, at the longest wait: what is above capacity is dropped */
    SERVICE_FLOW_LATE,       /* the same, above the longest wait: all that comes in is dropped */
};

/* Tokens a second, and tokens. Waiting time is backlog / capacity. */
struct service_flow_load {
    double demand_per_s, capacity_per_s; /* of the ready replicas together */
    double backlog;
};

/* Waiting times: of the objective, and the longest before requests are dropped (or INFINITY). */
struct service_waits {
    double objective_s, timeout_s;
};

/* When the flow changes by itself, and the backlog then. */
struct service_flow_change {
    double after_s; /* INFINITY: never */
    double backlog;
    bool is_exact; /* the backlog is exactly so then: 0, or that of the longest wait */
};

enum service_flow service_flow_of(const struct service_flow_load *load, double timeout_s);
/* Tokens that the backlog grows by, and that are dropped, in a second. */
double service_flow_growth_per_s(enum service_flow flow, const struct service_flow_load *load);
double service_flow_dropped_per_s(enum service_flow flow, const struct service_flow_load *load);
/* Whether what comes in now waits longer than the objective. */
bool service_flow_over_wait(enum service_flow flow, const struct service_flow_load *load,
                            double objective_s);
/* The backlog is empty, or a waiting time of `waits` is reached. */
struct service_flow_change service_flow_next(enum service_flow flow,
                                             const struct service_flow_load *load,
                                             const struct service_waits *waits);

#endif
