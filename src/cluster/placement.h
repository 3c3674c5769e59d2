/* Which GPUs of which nodes are free, and where a job goes (semantics 8): into the node with the
   fewest free GPUs that still has k, else below the switch of the lowest tier that has, else over
   the whole cluster, most free first; part of a GPU, into the shared GPU with the least room that
   is enough. Ties go by file order. */
#ifndef EASIM_CLUSTER_PLACEMENT_H
#define EASIM_CLUSTER_PLACEMENT_H

#include "cluster/cluster.h"
#include "cluster/free_units.h"

/* GPUs of one node that a job holds. */
struct piece {
    uint32_t node;
    uint32_t gpus;
};

/* What one job holds: one piece in place, or several on the heap; of part of a GPU `first` has no
   whole one. */
struct allocation {
    uint32_t count; /* 0: nothing held */
    struct piece first;
    uint32_t milli;       /* thousandths of `gpu`; 0: whole GPUs */
    struct piece *pieces; /* NULL if count <= 1 */
    uint32_t span;        /* of the network: the lowest that holds it */
    uint32_t gpu;         /* number in its type's `sharing` */
};

/* What is free of one GPU type: by node, then by switch of each tier but the last. */
struct type_placement {
    struct free_units levels[NETWORK_MOST_TIERS];
    uint32_t *switch_free[NETWORK_MOST_TIERS]; /* by level from 1 on, and switch */
    uint32_t *nodes; /* node of a unit of level 0, ascending; NULL: units are nodes */
    uint32_t free;
    struct sharing sharing;
};

struct placement {
    const struct cluster *cluster;
    struct type_placement *types;
    uint32_t *unit;       /* of level 0, by node */
    uint32_t *node_free;  /* by node */
    uint32_t level_count; /* 1, and each tier but the last */
};

void placement_init(struct placement *placement, const struct cluster *cluster); /* all GPUs free */
void placement_finish(struct placement *placement);

/* Takes k free GPUs of a type. False, with nothing changed, if fewer are free. */
bool placement_take(struct placement *placement, uint32_t gpu_type, uint32_t k,
                    struct allocation *allocation);
/* Takes thousandths of a GPU, 1..999. False, with nothing changed, if no GPU has so much free. */
bool placement_take_share(struct placement *placement, uint32_t gpu_type, uint32_t milli,
                          struct allocation *allocation);
/* The GPU of an allocation that is part of one, and whether no other job is on it. */
struct shared_gpu *placement_shared_gpu(const struct placement *placement,
                                        const struct allocation *allocation);
bool placement_is_alone(const struct placement *placement, const struct allocation *allocation);
/* Gives everything back and empties the allocation. */
void placement_give_back(struct placement *placement, struct allocation *allocation);
/* Frees the GPUs of an allocation, which is kept, or takes them again if they are free. */
void placement_lend(struct placement *placement, const struct allocation *allocation);
void placement_reclaim(struct placement *placement, const struct allocation *allocation);

/* Sets the free GPUs of a node that no job is on: 0 when it fails, all when it is repaired. */
void placement_set_node(struct placement *placement, uint32_t node, uint32_t free);

uint32_t placement_node_free_max(const struct placement *placement, uint32_t gpu_type);
/* Most GPUs of a type that are free inside one unit of a span: a node, a switch, the cluster. */
uint32_t placement_span_free_max(const struct placement *placement, uint32_t gpu_type,
                                 uint32_t span);
/* Empties an allocation whose GPUs somebody else has taken or freed. */
void allocation_finish(struct allocation *allocation);
/* The pieces of an allocation, count of them. */
const struct piece *allocation_pieces(const struct allocation *allocation);

#endif
