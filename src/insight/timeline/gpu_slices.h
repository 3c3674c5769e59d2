/* What each GPU did: a slice for each segment of a job on it, and for the times in which it slept
   or its node had failed. */
#ifndef EASIM_INSIGHT_TIMELINE_GPU_SLICES_H
#define EASIM_INSIGHT_TIMELINE_GPU_SLICES_H

#include "insight/timeline/gpu_tracks.h"

/* Slices of one track follow each other and never overlap; their energies and lengths add up to
   those of the segments at any resolution: what is joined touches. */
void gpu_slices_write(struct timeline_part *part, const struct gpu_tracks *tracks);

#endif
