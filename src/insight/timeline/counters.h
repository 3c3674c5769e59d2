/* The state of the cluster over time: power, cap, waiting jobs, free GPUs, price, carbon. */
#ifndef EASIM_INSIGHT_TIMELINE_COUNTERS_H
#define EASIM_INSIGHT_TIMELINE_COUNTERS_H

#include "insight/timeline/timeline_part.h"

/* A sample wherever a value changes, as power.csv has them (docs/outputs.md); it holds until the
   next one, or the end of the run. */
void counters_write(struct timeline_part *part);

#endif
