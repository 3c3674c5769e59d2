/* The GPUs of one type that jobs hold in part: how much of each is free, and the one with the least
   room that is enough. Set up when the first job asks for part of a GPU: whole ones cost nothing
   here. */
#ifndef EASIM_CLUSTER_SHARING_H
#define EASIM_CLUSTER_SHARING_H

#include "base/idset.h"
#include "base/units.h"
#include "cluster/cluster.h"

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
/* Makes a free GPU of a node, which is no longer free as a whole, a shared one with all of its
 * room. */
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
