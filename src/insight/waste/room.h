/* What is free of each GPU type at an instant of a recorded run, as placement saw it: whole GPUs,
   most of one node, parts of shared ones. GPUs asleep are free; those on failed nodes are not. */
#ifndef EASIM_INSIGHT_WASTE_ROOM_H
#define EASIM_INSIGHT_WASTE_ROOM_H

#include "base/idset.h"
#include "cluster/cluster.h"
#include "easim/policy.h"

/* Free GPUs of a type: all that decides whether a configuration fits. of_node is at most gpus. */
struct room_free {
    uint32_t gpus;     /* free as a whole */
    uint32_t of_node;  /* most of them on one node */
    uint32_t of_share; /* most free thousandths of a GPU that is held in part */
};

struct room_type {
    uint32_t free;
    uint64_t shared_free_milli; /* of GPUs held in part */
    uint32_t *nodes, *shared;   /* how many nodes have so many free GPUs, GPUs held in part
                                   so many thousandths */
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

/* GPUs of a node are held as a whole, or have failed. False, with nothing changed, if it has not so
   many free. */
bool room_take(struct room *room, uint32_t node, uint32_t gpus) MUST_CHECK;
void room_give_back(struct room *room, uint32_t node, uint32_t gpus);
/* Thousandths of one GPU of a node, by its index there. False, with nothing changed, if it has not
   so much free. */
bool room_take_share(struct room *room, uint32_t node, uint32_t gpu, uint32_t milli) MUST_CHECK;
void room_give_back_share(struct room *room, uint32_t node, uint32_t gpu, uint32_t milli);

struct room_free room_free_of(const struct room *room, uint32_t gpu_type);
/* Thousandths that nobody holds: whole GPUs, and parts of shared ones. */
uint64_t room_free_milli(const struct room *room, uint32_t gpu_type);

/* Whether a configuration of whole GPUs fits into what is free of its type, in a span in which it
   is known (semantics 3.5). */
bool room_fits(const struct room_free *free, const struct easim_config *config);

#endif
