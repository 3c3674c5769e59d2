/* The state of the cluster beside its free GPUs and its power. Header only: data of struct sim. */
#ifndef EASIM_ENGINE_CLUSTER_STATE_H
#define EASIM_ENGINE_CLUSTER_STATE_H

#include "base/array.h"
#include "base/timeheap.h"
#include "cluster/sleep.h"
#include "config/series.h"

#include <gsl/gsl_rng.h>

enum cluster_change { CHANGE_CAP, CHANGE_PRICE, CHANGE_CARBON, CHANGE_COUNT };

/* Changes of power cap, price and carbon intensity (cluster_changes.h). */
struct cluster_changes {
    struct series_cursor cursors[CHANGE_COUNT];
    uint32_t pending; /* events of changes in the event set */
    int64_t round_ns; /* all repeated series together come again after it; 0: none is repeated */
    int64_t idle_since_ns; /* last event that was not a change of a repeated series */
    /* Last event that was no timer of the policy, either; timers that have come since, and those
       that are to come. */
    int64_t alone_since_ns;
    uint32_t timers_alone, timers;
    const struct series
        *end; /* of the series of price and carbon, the one that ends first; NULL: none ends */
};

/* What is forecast of one series (forecasts.h). Both arrays are rings: hour n is at n % hours. */
struct forecast_series {
    struct series_cursor cursor; /* at the first hour that is not in `values` yet */
    double *values;              /* of the present hour and those after it: what comes */
    double *shocks;              /* standard normal, likewise; NULL: exact */
    gsl_rng *stream;
};

/* Forecasts of cap, price and carbon intensity (forecasts.h). */
struct forecasts {
    uint32_t hours; /* 0: none are shown */
    int64_t hour;   /* the present one, counted from t = 0, of which they are shown; -1: none yet */
    struct forecast_series series[CHANGE_COUNT];
    struct forecasts_past *past; /* of forecasts_check.h; NULL: the run is not checked */
};

/* Failures and repairs (failures.h). */
struct failures {
    gsl_rng **streams; /* by node, NULL if it never fails; NULL as a whole: none does by chance */
    size_t *next;      /* by node: its next recorded outage, or the one that it is in; NULL: nothing
                          is recorded */
    uint32_t nodes, gpus; /* failed now */
    uint32_t gone;        /* of these nodes: never repaired */
    uint64_t count;       /* so far */
};

struct node_jobs {
    ARRAY_OF(uint32_t) list; /* that hold GPUs of the node; order is arbitrary but reproducible */
};

/* Jobs and sleeping GPUs of nodes (nodes.h). */
struct nodes {
    struct node_jobs *jobs; /* by node; NULL: not needed */
    struct sleep sleep;
    int64_t *awake_ns; /* by job: when all GPUs that it got last are awake; NULL: none sleeps */
    uint32_t *sleep_events; /* by node: the pending event, or EVENT_NONE */
    bool *is_changed;       /* by node; NULL: neither interference nor sleep */
    ARRAY_OF(uint32_t)
    changed; /* nodes whose jobs or free GPUs are others than when they last settled (settle.h) */
};

/* Jobs of one node whose speeds change together (convoys.h). Arrays go by place in the convoy. */
struct convoy {
    ARRAY_OF(uint32_t) members;
    ARRAY_OF(double) work; /* done in their present runs up to rated_ns */
    ARRAY_OF(double) goodput;
    ARRAY_OF(double) noise;
    double slowdown; /* since rated_ns */
    int64_t rated_ns;
    uint64_t number;           /* of creation that the events of that time would begin with */
    ARRAY_OF(uint32_t) others; /* jobs of this node alone that are not members */
    uint32_t spread;           /* jobs of other nodes, too; the convoy then is empty */
};

struct convoy_job {
    int64_t wake_ns;      /* of a member: when to look whether it ends soon */
    uint32_t place;       /* in the convoy + 1, or 0 */
    uint32_t other_place; /* among the others + 1, or 0 */
    uint32_t list_place;  /* in the list of its node, if it is on no other */
};

struct convoys {
    struct convoy *nodes; /* by node; NULL: not in use */
    struct convoy_job *jobs;
    uint32_t members;      /* of all of them: their ends are to come, though they have no events */
    struct timeheap wakes; /* of members, in nanoseconds, and of such as were */
};

#endif
