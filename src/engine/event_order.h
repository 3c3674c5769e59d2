/* The kinds of events, and their order where they come at the same instant (docs/semantics.md,
   1.2). */
#ifndef EASIM_ENGINE_EVENT_ORDER_H
#define EASIM_ENGINE_EVENT_ORDER_H

#include <stdbool.h>
#include <stdint.h>

enum event_kind {
    EVENT_CLUSTER,     /* payload enum cluster_change: power cap, price or carbon intensity */
    EVENT_MEASURE,     /* end of the warm-up; causes no decision */
    EVENT_COMPUTING,   /* payload job: set-up is over; causes no decision */
    EVENT_PHASE,       /* payload job: it enters the next phase of its model; causes no decision */
    EVENT_UTILIZATION, /* payload job: the next step of its utilization; causes no decision */
    EVENT_FINISH,      /* payload job */
    EVENT_RELEASE,     /* payload job: its checkpoint is written */
    EVENT_ARRIVAL,     /* payload job */
    EVENT_TIMER,
    EVENT_FAILURE, /* payload node */
    EVENT_REPAIR,  /* payload node */
    EVENT_SLEEP,   /* payload node: free GPUs of it fall asleep; causes no decision */
    EVENT_DEMAND,  /* of services changes; like the three below, it causes a decision only of
                      policies that declare SERVICES, or where GPUs came free */
    EVENT_BACKLOG, /* payload service: its backlog is empty, or a waiting time is reached */
    EVENT_REPLICA, /* payload replica: it is ready */
    EVENT_SCALING, /* of services */
};

/* Rank of a kind among the events of one instant, for eventq_push: the least comes first.
   arrivals_first: arrivals before finishes and checkpoints that are written. */
uint32_t event_order_rank(enum event_kind kind, bool arrivals_first);

#endif
