/* Events of a recorded run: see run_events.h. */
#include "insight/run_events.h"

#include "base/sort_doubles.h"

#include <stdlib.h>

/* --- node_changes --- */

ORDER_BY(changes_by_time, struct node_change, ASC(time_ns) ASC(fails) ASC(node))

/* The first GPU of a node stands for all: they fail together. */
void node_changes_find(struct node_changes *changes, const struct recorded_run *run) {
    for (size_t i = 0; i < run->rests.count; i++) {
        const struct recorded_rest *r = &run->rests.at[i];
        if (r->state != RECORDED_FAILED || r->first != 0)
            continue;
        array_push(&changes->list, ((struct node_change){r->start_ns, r->node, true}));
        array_push(&changes->list, ((struct node_change){r->end_ns, r->node, false}));
    }
    sort_array(changes->list.at, changes->list.count, changes_by_time);
}

bool node_changes_fail(const struct node_changes *changes, uint32_t node, int64_t time_ns) {
    const struct node_change key = {time_ns, node, true};
    return changes->list.count > 0 && bsearch(&key, changes->list.at, changes->list.count,
                                              sizeof *changes->list.at, changes_by_time) != NULL;
}

void node_changes_finish(struct node_changes *changes) {
    free(changes->list.at);
    *changes = (struct node_changes){0};
}

/* --- segment_events --- */

ORDER_BY(events_by_time, struct segment_event, ASC(time_ns) ASC(begins) ASC(segment))

void segment_events_find(struct recorded_run *run) {
    run->events.capacity = 2 * run->segments.count;
    run->events.at = mem_realloc(NULL, run->events.capacity, sizeof *run->events.at);
    for (size_t i = 0; i < run->segments.count; i++) {
        const struct recorded_segment *s = &run->segments.at[i];
        if (s->end_ns == s->start_ns)
            continue;
        array_push(&run->events, ((struct segment_event){s->start_ns, (uint32_t)i, true}));
        array_push(&run->events, ((struct segment_event){s->end_ns, (uint32_t)i, false}));
    }
    sort_array_by(run->events.at, run->events.count, time_ns, events_by_time);
}
