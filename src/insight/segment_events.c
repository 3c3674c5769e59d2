/* Beginnings and ends in order of time: see segment_events.h. */
#include "insight/segment_events.h"

#include <stdlib.h>

ORDER_BY(events_by_time, struct segment_event, ASC(time_ns) ASC(begins) ASC(segment))

void segment_events_find(struct segment_events *events, const struct recorded_run *run) {
    for (size_t i = 0; i < run->segments.count; i++) {
        const struct recorded_segment *s = &run->segments.at[i];
        if (s->end_ns == s->start_ns)
            continue;
        array_push(&events->list, ((struct segment_event){s->start_ns, (uint32_t)i, true}));
        array_push(&events->list, ((struct segment_event){s->end_ns, (uint32_t)i, false}));
    }
    sort_array(events->list.at, events->list.count, events_by_time);
}

void segment_events_finish(struct segment_events *events) {
    free(events->list.at);
    *events = (struct segment_events){0};
}
