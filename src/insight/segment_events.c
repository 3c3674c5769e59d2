/* Beginnings and ends in order of time: see segment_events.h. */
#include "insight/segment_events.h"

#include <stdlib.h>

static int by_time(const void *left, const void *right) {
    const struct segment_event *a = left, *b = right;
    if (a->time_ns != b->time_ns)
        return a->time_ns < b->time_ns ? -1 : 1;
    if (a->begins != b->begins)
        return a->begins ? 1 : -1;
    return (a->segment > b->segment) - (a->segment < b->segment);
}

void segment_events_find(struct segment_events *events, const struct recorded_run *run) {
    for (size_t i = 0; i < run->segments.count; i++) {
        const struct recorded_segment *s = &run->segments.at[i];
        if (s->end_ns == s->start_ns)
            continue;
        array_push(&events->list, ((struct segment_event){s->start_ns, (uint32_t)i, true}));
        array_push(&events->list, ((struct segment_event){s->end_ns, (uint32_t)i, false}));
    }
    if (events->list.count > 0)
        qsort(events->list.at, events->list.count, sizeof *events->list.at, by_time);
}

void segment_events_finish(struct segment_events *events) {
    free(events->list.at);
    *events = (struct segment_events){0};
}
