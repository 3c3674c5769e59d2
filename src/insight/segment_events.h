/* Beginnings and ends of segments in order of time: what a sweep over a recorded run goes
   through. */
#ifndef EASIM_INSIGHT_SEGMENT_EVENTS_H
#define EASIM_INSIGHT_SEGMENT_EVENTS_H

#include "insight/recorded_run.h"

/* The end or the beginning of a segment of a job, queued ones included. */
struct segment_event {
    int64_t time_ns;
    uint32_t segment; /* of the run's segments */
    bool begins;
};

/* Zero-initialise; release with segment_events_finish. Ends come before beginnings of the same
   instant, each in the order of the segments; empty segments are left out. */
struct segment_events {
    ARRAY_OF(struct segment_event) list;
};

void segment_events_find(struct segment_events *events, const struct recorded_run *run);
void segment_events_finish(struct segment_events *events);

#endif
