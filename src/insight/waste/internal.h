/* Declarations shared by the files of src/insight/waste, for this folder alone. */
#ifndef EASIM_INSIGHT_WASTE_INTERNAL_H
#define EASIM_INSIGHT_WASTE_INTERNAL_H

#include "base/idset.h"
#include "cluster/cluster.h"
#include "easim/policy.h"
#include "model/config_table.h"

/* --- room --- */
/* The free GPUs of each type at an instant of a recorded run, as placement saw them: whole GPUs,
   most of one node, parts of shared ones. Sleeping GPUs are free; those on failed nodes are not. */

/* Free GPUs of a type: all that decides whether a configuration fits. of_node is at most gpus. */
struct room_free {
    uint32_t gpus;     /* free as a whole */
    uint32_t of_node;  /* most of them on one node */
    uint32_t of_share; /* most free thousandths of a GPU that is held in part */
};

struct room_type {
    uint32_t free;
    uint64_t shared_free_milli; /* of GPUs held in part */
    uint32_t *nodes, *shared;   /* number of nodes by free GPUs, of shared GPUs by thousandths */
    struct idset nodes_by_free, shared_by_free; /* the numbers of which there is one */
};

struct room {
    const struct cluster *cluster;
    struct room_type *types;
    uint32_t *node_free;  /* by node */
    uint32_t *first_gpu;  /* by node: number of its first GPU in the cluster */
    uint16_t *held_milli; /* by GPU of the cluster: of those held in part */
};

void room_init(struct room *room, const struct cluster *cluster); /* all GPUs free */
void room_finish(struct room *room);                              /* accepts a zeroed one */

/* GPUs of a node are held as a whole, or have failed. False, with nothing changed, if fewer are
   free. */
bool room_take(struct room *room, uint32_t node, uint32_t gpus) MUST_CHECK;
void room_give_back(struct room *room, uint32_t node, uint32_t gpus);
/* Thousandths of one GPU of a node, by its index there. False, with nothing changed, if less is
   free. */
bool room_take_share(struct room *room, uint32_t node, uint32_t gpu, uint32_t milli) MUST_CHECK;
void room_give_back_share(struct room *room, uint32_t node, uint32_t gpu, uint32_t milli);

struct room_free room_free_of(const struct room *room, uint32_t gpu_type);
/* Free thousandths: whole GPUs, and parts of shared ones. */
uint64_t room_free_milli(const struct room *room, uint32_t gpu_type);

/* Whether a configuration of whole GPUs fits into what is free of its type, in a span in which it
   is known (semantics 3.5). */
bool room_fits(const struct room_free *free, const struct easim_config *config);

/* --- wanted --- */
/* The needs of the waiting jobs at an instant, by GPU type: whether any has a configuration there,
   and whether one fits. A job counts by the least that its set of configurations needs, so a change
   costs a few counters, however many jobs wait. */

enum need_kind {
    NEED_ANY_SPAN,     /* k GPUs, wherever they are */
    NEED_ONE_NODE,     /* k GPUs of a node: known only so */
    NEED_ACROSS_NODES, /* k GPUs, but no node has k: known only so */
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
    struct set_demand {
        bool known;
        ARRAY_OF(struct need) list;
    } * sets; /* by set of the table */
};

void wanted_init(struct wanted *wanted, const struct config_table *table); /* no job waits */
void wanted_finish(struct wanted *wanted); /* accepts a zeroed one */

/* A job whose configurations are those of a set waits, or waits no longer. */
void wanted_add(struct wanted *wanted, uint32_t set);
void wanted_remove(struct wanted *wanted, uint32_t set);

bool wanted_any(const struct wanted *wanted, uint32_t gpu_type);
/* Whether a waiting job has a configuration there that fits. */
bool wanted_fits(const struct wanted *wanted, uint32_t gpu_type, const struct room_free *free);

#endif
