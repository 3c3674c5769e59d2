/* Events of a recorded run in order of time: begins and ends of segments, changes of nodes. */
#ifndef EASIM_INSIGHT_RUN_EVENTS_H
#define EASIM_INSIGHT_RUN_EVENTS_H

#include "insight/recorded_run.h"

/* Fills in run->events; its segments are there. */
void segment_events_find(struct recorded_run *run);

/* --- node_changes: failures and repairs of the nodes --- */

struct node_change {
    int64_t time_ns;
    uint32_t node;
    bool fails; /* else it is repaired, or the run ends */
};

/* Zero-initialise; release with node_changes_finish. At one instant repairs come first, then by
   node. */
struct node_changes {
    ARRAY_OF(struct node_change) list;
};

void node_changes_find(struct node_changes *changes, const struct recorded_run *run);
/* Whether the node fails at that instant. */
bool node_changes_fail(const struct node_changes *changes, uint32_t node, int64_t time_ns);
void node_changes_finish(struct node_changes *changes);

#endif
