/* Classes of waste: names (waste_class), causes of lost segments, steps of cost, serving. */
#ifndef EASIM_INSIGHT_WASTE_CLASSES_H
#define EASIM_INSIGHT_WASTE_CLASSES_H

#include "base/array.h"
#include "insight/recorded_run.h"
#include "insight/waste/internal.h"
#include "model/config_speeds.h"
#include "model/config_table.h"

#include <stdbool.h>

#define WASTE_CLASS_ROWS(X) \
    X(WASTE_BASE, "base", BASE),                   /* nodes without their GPUs */ \
        X(WASTE_NETWORK, "network", BASE),         /* of the cluster; not listed without one */ \
        X(WASTE_ASLEEP, "asleep", IDLE),           /* GPUs asleep */ \
        X(WASTE_FAILED_NODE, "failed node", NONE), /* GPUs of failed nodes: no energy */ \
        X(WASTE_RESERVED, "reserved", IDLE),       /* free GPUs kept for a replica */ \
        X(WASTE_HELD_BACK, "held back", IDLE), /* free, and a job that waits would have fitted */ \
        X(WASTE_FRAGMENTED, "fragmented", IDLE), /* free, and no job that waits for them fits */ \
        X(WASTE_IDLE, "idle", IDLE),             /* free, and no job waits for the type */ \
        X(WASTE_SET_UP, "set-up", OVERHEAD),     /* the first of a job; replicas that load */ \
        X(WASTE_RECONFIGURED, "reconfigured", OVERHEAD), /* set-ups, lost work of preemptions */ \
        X(WASTE_FAILED, "failed", OVERHEAD),             /* the same of node failures */ \
        X(WASTE_THROTTLED, "throttled", THROTTLED), /* below the power of the wish; may be < 0 */ \
        X(WASTE_SLOWED, "slowed", OVERHEAD), /* jobs that computed more slowly than their model */ \
        X(WASTE_SPREAD, "spread", CHOICE),   /* on several nodes; the empty cluster has one */ \
        X(WASTE_BATCH, "batch", CHOICE),     /* another batch or power limit would be cheaper */ \
        X(WASTE_OVER_SCALED, "over-scaled", CHOICE), /* fewer GPUs of the type would be */ \
        X(WASTE_MISPLACED, "misplaced", CHOICE),     /* something free at the start would be */ \
        X(WASTE_CROWDED_OUT, "crowded out", CROWDED_OUT), /* something others had would be */ \
        X(WASTE_UNDERUSED, "underused", CHOICE),          /* replicas with less than full load */ \
        X(WASTE_USEFUL, "useful", USEFUL) /* what the cheapest allowed configuration takes */
enum waste_class { WASTE_CLASS_ROWS(ENUM_OF), WASTE_CLASSES };

struct waste_amount {
    double energy_j, gpu_s;
};

/* Names of several classes together, in the line under the table of a run. */
#define WASTE_GROUP_ROWS(X) \
    X(WASTE_GROUP_USEFUL, "useful"), X(WASTE_GROUP_IDLE, "idle"), /* free GPUs, awake or not */ \
        X(WASTE_GROUP_OVERHEAD, "overhead"),     /* set-ups, interruptions, neighbours */ \
        X(WASTE_GROUP_CHOICE, "lost by choice"), /* of configurations */ \
        X(WASTE_GROUP_CROWDED_OUT, "crowded out"), X(WASTE_GROUP_BASE, "base"), \
        X(WASTE_GROUP_THROTTLED, "throttled") /* only under an enforced cap */
enum waste_group { WASTE_GROUP_ROWS(ENUM_OF), WASTE_GROUPS, WASTE_GROUP_NONE = WASTE_GROUPS };

extern const char *const waste_class_names[WASTE_CLASSES];
extern const char *const waste_group_names[WASTE_GROUPS];

/* WASTE_GROUPS for that of failed nodes, which has no energy. */
enum waste_group waste_class_group(enum waste_class class);

/* --- causes --- */
/* The class of a segment that did not compute, or in vain: by its interruption (semantics 24.2). */

/* The class of a segment of a job. rest: the job's segments from this one on, count of them.
   so_far: of the interruptions before it, from causes_after. on_demand: the job writes checkpoints
   only when it is interrupted. WASTE_USEFUL for a run that was kept, and for a queued segment. */
enum waste_class causes_class(enum waste_class so_far, const struct recorded_segment *rest,
                              uint32_t count, bool on_demand);
/* The class of set-ups after a segment: WASTE_SET_UP, with which a job begins, until it is
   interrupted; then the class of the latest interruption. */
enum waste_class causes_after(enum waste_class so_far, const struct recorded_segment *segment);

/* --- cost_steps --- */
/* The cost of a unit of work in the configuration that a job had, and in cheaper and cheaper ones:
   the steps between them are the excess of semantics 24.3. A cost is k P / G of a configuration at
   the span that it has on the empty cluster. */

/* Each is the best of more configurations than before, so costs never rise from the second on. */
enum cost_step {
    COST_AS_PLACED,  /* the job's own, in the span that it got */
    COST_WHEN_EMPTY, /* in the span of the empty cluster; as placed, if it is not known there */
    COST_BEST_BATCH, /* of its k and GPU type */
    COST_BEST_SIZE,  /* of its GPU type, with its k or fewer */
    COST_BEST_THERE, /* of all that fitted at its start, or the last one */
    COST_LEAST,      /* of all allowed ones, or the last one */
    COST_STEPS,
};

/* The cost of a reference sample. Equal energies: the first in the order of configurations. */
struct cost {
    double energy_j, gpu_s;
    uint32_t config;
    struct config_rank rank;
};

/* The configurations of each set by cost, sorted when they are first asked for. */
struct cost_order {
    const struct config_table *table;
    struct cost *sorted; /* those of a set begin at its first; unknown ones are left out */
    uint32_t *counts;    /* by first configuration of a set: how many are known, + 1 */
};

void cost_order_init(struct cost_order *order, const struct config_table *table);
void cost_order_finish(struct cost_order *order); /* accepts a zeroed one */

/* The costs for a job of a set that has config, known in span, and for the configurations it could
   have. free, by GPU type: the free GPUs at its start, including its own. */
void cost_steps_find(struct cost_order *order, uint32_t set, uint32_t config, uint32_t span,
                     const struct room_free *free, struct cost steps[static COST_STEPS]);

/* --- serving: how the energy of replicas is divided (semantics 24.2, 24.3) --- */

/* The spent and the served part of a serve segment, or of a part of it. */
struct serving_parts {
    struct waste_amount underused, misplaced, useful;
};

struct serving_parts serving_divide(const struct recorded_run *run,
                                    const struct recorded_segment *segment,
                                    struct waste_amount spent, double tokens);
/* Sets the classes (enum waste_class) of those replicas to WASTE_FAILED that load in place of
   others which a node failure has ended. classes: by job. */
void serving_find_replacements(const struct recorded_run *run, uint8_t *classes);

#endif
