/* The tracks of GPUs: one each; of a GPU that jobs share one for each lane. */
#ifndef EASIM_INSIGHT_TIMELINE_GPU_TRACKS_H
#define EASIM_INSIGHT_TIMELINE_GPU_TRACKS_H

#include "insight/timeline/timeline_part.h"

/* Release with gpu_tracks_finish. */
struct gpu_tracks {
    const struct cluster *cluster; /* borrowed */
    uint32_t *lanes;               /* of a GPU of each node, at least 1 */
    uint64_t *first;               /* number of each node's first track; behind the last all */
};

void gpu_tracks_init(struct gpu_tracks *tracks, const struct recorded_run *run);
/* pid: the node; tid: the GPU, those of further lanes behind all GPUs of the node. */
struct trace_place gpu_tracks_place(const struct gpu_tracks *tracks, uint32_t node, uint32_t gpu,
                                    uint32_t lane, int64_t time_ns);
uint64_t gpu_tracks_number(const struct gpu_tracks *tracks, struct trace_place place);
/* Names and order of all tracks, those of the cluster too. */
void gpu_tracks_write(const struct gpu_tracks *tracks, struct timeline_part *part);
void gpu_tracks_finish(struct gpu_tracks *tracks);

#endif
