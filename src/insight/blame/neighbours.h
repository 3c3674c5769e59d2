/* What jobs on one node cost each other in time and energy, by interference (semantics 11, 26). */
#ifndef EASIM_INSIGHT_BLAME_NEIGHBOURS_H
#define EASIM_INSIGHT_BLAME_NEIGHBOURS_H

#include "insight/segment_events.h"

/* Zero-initialise; release with neighbours_finish. Both NULL: nobody slows anybody down. */
struct neighbours {
    double *slowed_s;      /* by segment: of a run whose work was kept, time lost to neighbours */
    double *node_slowed_j; /* by node: energy of that time, as far as it is measured, at the node
                              that had most of them */
};

void neighbours_find(struct neighbours *neighbours, const struct recorded_run *run,
                     const struct segment_events *events);
void neighbours_finish(struct neighbours *neighbours);

#endif
