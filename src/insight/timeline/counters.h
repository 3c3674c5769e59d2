/* The state of the cluster over time: power, cap, waiting jobs, free GPUs, price, carbon. */
#ifndef EASIM_INSIGHT_TIMELINE_COUNTERS_H
#define EASIM_INSIGHT_TIMELINE_COUNTERS_H

#include "insight/timeline/timeline_part.h"

/* Where segments and rests begin and end, by time. */
struct counter_edges {
    struct counter_edge *at;
    size_t count;
};
void counter_edges_init(struct counter_edges *edges, const struct recorded_run *run);
void counter_edges_finish(struct counter_edges *edges);

/* A sample wherever a value changes, as power.csv has them (docs/outputs.md); it holds until the
   next one, or the end of the run. */
void counters_write(const struct counter_edges *edges, struct timeline_part *part);

#endif
