/* The nodes of one GPU type, or the switches of a tier, by how many GPUs of the type are free in
   each: the one with the fewest that are enough, and the freest, of all or of those inside one unit
   of the tier above. Ties go by number, which is file order. */
#ifndef EASIM_CLUSTER_FREE_UNITS_H
#define EASIM_CLUSTER_FREE_UNITS_H

#include "base/idset.h"
#include "base/units.h"
#include "cluster/cluster.h"

#define FREE_UNITS_NONE UINT32_MAX
#define FREE_UNITS_ALL  UINT32_MAX /* not those of one parent, but all */

/* Unit u is inside parent u / width. Members: free * count + unit, and in `inside`
   (parent * (most + 1) + free) * width + unit % width. */
struct free_units {
    struct idset by_free;
    struct idset inside; /* of size 0: the only parent is the whole */
    uint32_t count, width;
    uint32_t most; /* GPUs of one unit */
    uint32_t free; /* of the only unit, where there is one: the sets stay empty then */
};

/* None is there yet. parents: of a unit above, whether or not it has units; 1: the whole alone. */
void free_units_init(struct free_units *units, uint32_t count, uint32_t width, uint32_t most);
void free_units_finish(struct free_units *units);

void free_units_add(struct free_units *units, uint32_t unit, uint32_t free);
/* A unit that had `before` free GPUs has so many now. */
void free_units_move(struct free_units *units, uint32_t unit, uint32_t before, uint32_t free);

/* Of the units with at least k free GPUs the one with the fewest; FREE_UNITS_NONE. parent: or
   FREE_UNITS_ALL. ret_free may be NULL. */
uint32_t free_units_fewest(const struct free_units *units, uint32_t parent, uint32_t k,
                           uint32_t *ret_free);
/* The one with the most; some unit has to be there. */
uint32_t free_units_freest(const struct free_units *units, uint32_t parent);
/* Free GPUs of the freest of all. */
uint32_t free_units_most_free(const struct free_units *units);

/* --- sharing --- */
/* GPUs of one type that jobs hold in part: how much of each is free, and the one with the least
   room that is enough. Set up when the first job asks for part of a GPU. */

#define SHARING_NONE UINT32_MAX

/* A GPU that is, or once was, held in part. */
struct shared_gpu {
    uint32_t node;
    uint32_t free_milli; /* of WHOLE_GPU_MILLI; that: no job is on it, and it is free as a whole */
    int64_t awake_ns;    /* when it has woken up from sleep; for whoever sets that */
};

/* GPUs are numbered by node, in file order; one that becomes shared is the first of its node that
   is not. Member free_milli * gpu_count + number, so that order is by room, then number. */
struct sharing {
    struct shared_gpu *gpus; /* by number; NULL: no job has ever shared one */
    struct idset by_free;    /* those held in part */
    struct idset left;       /* numbers in use once, and not now */
    uint32_t *node_first;    /* by node of the cluster: number of its first GPU */
    uint32_t *node_used;     /* and how many have ever been in use */
    uint32_t gpu_count;
    uint32_t count;      /* GPUs held in part */
    uint64_t free_milli; /* of them together */
};

void sharing_init(struct sharing *sharing, const struct cluster *cluster, uint32_t gpu_type);
void sharing_finish(struct sharing *sharing); /* accepts a zeroed one */

/* The shared GPU with the least room of at least milli, the first of them; SHARING_NONE. */
uint32_t sharing_find(const struct sharing *sharing, uint32_t milli);
/* Makes a free GPU of a node, which is no longer free as a whole, a shared one, all free. */
uint32_t sharing_open(struct sharing *sharing, uint32_t node);
/* A job takes milli > 0 of a GPU, which has as many free. */
void sharing_take(struct sharing *sharing, uint32_t gpu, uint32_t milli);
/* It gives them back. True if the GPU is free as a whole now. */
bool sharing_give_back(struct sharing *sharing, uint32_t gpu, uint32_t milli);
/* Takes back what has just been given back; true: the GPU was not shared any more, and is again. */
bool sharing_retake(struct sharing *sharing, uint32_t gpu, uint32_t milli);
/* Most room of one shared GPU, thousandths. */
uint32_t sharing_free_max(const struct sharing *sharing);

#endif
