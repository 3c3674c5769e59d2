/* What the waiting jobs of an instant could use, by GPU type: whether any of them has a
   configuration there, and whether one fits what is free. A job counts by what its set of
   configurations asks for at least, so a change costs a few counters however many wait. */
#ifndef EASIM_INSIGHT_WASTE_WANTED_H
#define EASIM_INSIGHT_WASTE_WANTED_H

#include "insight/waste/room.h"
#include "model/config_table.h"

enum need_kind {
    NEED_ANY_SPAN,     /* k GPUs, wherever they are */
    NEED_ONE_NODE,     /* k GPUs of a node: known only so */
    NEED_ACROSS_NODES, /* k GPUs, but no node has so many: likewise */
    NEED_SHARE,        /* thousandths of a GPU */
    NEED_KINDS,
};

/* A job of a set could start on a type if one of its needs there is met. */
struct need {
    uint32_t gpu_type, amount;
    enum need_kind kind;
};

struct wanted_type {
    uint32_t jobs; /* waiting ones with a configuration there */
    struct {
        uint32_t *jobs;       /* by amount; NULL: no set needs it */
        struct idset amounts; /* of which there is a job */
    } kinds[NEED_KINDS];
};

struct wanted {
    const struct config_table *table;
    struct wanted_type *types;
    struct set_needs {
        bool known;
        ARRAY_OF(struct need) list;
    } * sets; /* by set of the table */
};

void wanted_init(struct wanted *wanted, const struct config_table *table); /* nobody waits */
void wanted_finish(struct wanted *wanted); /* accepts a zeroed one */

/* A job whose configurations are those of a set waits, or waits no longer. */
void wanted_add(struct wanted *wanted, uint32_t set);
void wanted_remove(struct wanted *wanted, uint32_t set);

bool wanted_any(const struct wanted *wanted, uint32_t gpu_type);
/* Whether one of those who wait has a configuration there that fits. */
bool wanted_fits(const struct wanted *wanted, uint32_t gpu_type, const struct room_free *free);

#endif
