/* The power of the cluster's network (semantics 32.2), divided among GPU types. */
#ifndef EASIM_INSIGHT_FABRIC_H
#define EASIM_INSIGHT_FABRIC_H

#include "cluster/cluster.h"

/* The part that a GPU type has of it by its share of the GPUs, in whole nW; the parts add up to
   what the meter has. It never changes, whatever fails. 0: there is no network. */
int64_t fabric_nw(const struct cluster *cluster, uint32_t gpu_type);

#endif
