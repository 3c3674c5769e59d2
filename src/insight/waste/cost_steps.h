/* What a unit of work costs in the configuration that a job had, and in cheaper and cheaper ones:
   the steps between them are the excess that semantics 24.3 names. A cost is k P / G of a
   configuration at the span that it has on the empty cluster. */
#ifndef EASIM_INSIGHT_WASTE_COST_STEPS_H
#define EASIM_INSIGHT_WASTE_COST_STEPS_H

#include "insight/waste/room.h"
#include "model/config_speeds.h"
#include "model/config_table.h"

/* Each is the best of more configurations than the one before, so costs never rise from the second
   on. */
enum cost_step {
    COST_AS_PLACED,  /* the job's own, in the span that it got */
    COST_WHEN_EMPTY, /* in the span of the empty cluster; as placed, if it is not known there */
    COST_BEST_BATCH, /* of its k and GPU type */
    COST_BEST_SIZE,  /* of its GPU type, with its k or fewer */
    COST_BEST_THERE, /* of all that fitted at its start, or the last one */
    COST_LEAST,      /* of all allowed ones, or the last one */
    COST_STEPS,
};

/* Of a reference sample. Of equal energies the first in the order of configurations. */
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

/* What a job of a set has in config, known in span, and what it could have: free, by GPU type, is
   what it found at its start, its own GPUs included. */
void cost_steps_find(struct cost_order *order, uint32_t set, uint32_t config, uint32_t span,
                     const struct room_free *free, struct cost steps[static COST_STEPS]);

#endif
