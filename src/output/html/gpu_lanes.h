/* The GPUs of a cluster in the order in which the page shows them: by GPU type, then node. */
#ifndef EASIM_OUTPUT_HTML_GPU_LANES_H
#define EASIM_OUTPUT_HTML_GPU_LANES_H

#include "base/str.h"
#include "cluster/cluster.h"

/* Zero-initialise; release with gpu_lanes_finish. */
struct gpu_lanes {
    const struct cluster *cluster;
    uint32_t *first; /* lane of the first GPU of each node */
    uint32_t *nodes; /* nodes in the order of their lanes */
    uint32_t count;
};

void gpu_lanes_init(struct gpu_lanes *lanes, const struct cluster *cluster);
void gpu_lanes_finish(struct gpu_lanes *lanes);
/* The members "count", "types" (names) and "nodes": [first lane, GPUs, type, number in the file].
 */
void gpu_lanes_add(struct str *out, const struct gpu_lanes *lanes);

#endif
