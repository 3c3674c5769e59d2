/* What the parts of a timeline share while it is made. */
#ifndef EASIM_INSIGHT_TIMELINE_TIMELINE_PART_H
#define EASIM_INSIGHT_TIMELINE_TIMELINE_PART_H

#include "insight/recorded_run.h"
#include "insight/timeline/trace_events.h"

/* What a resolution has left out, or joined. */
struct timeline_thinned {
    uint64_t slices;    /* of GPUs, joined with others to one */
    uint64_t arrows;    /* from or to such a slice */
    uint64_t waits;     /* shorter than the resolution */
    uint64_t rests;     /* times asleep or failed, likewise */
    uint64_t decisions; /* joined with others to one instant */
    uint64_t arrivals;  /* likewise to one slice */
    uint64_t samples;   /* of counters, of which a later one of their interval stands */
};

struct timeline_part {
    const struct recorded_run *run;
    const uint32_t *order; /* indices of the run's segments, by start; then by place */
    int64_t resolution_ns; /* 0: nothing is left out */
    struct trace_events *events;
    struct timeline_thinned thinned;
};

/* The interval that a time is in: those of one resolution follow each other from 0. */
static inline int64_t timeline_interval(const struct timeline_part *part, int64_t time_ns) {
    return part->resolution_ns > 0 ? time_ns / part->resolution_ns : time_ns;
}

static inline bool timeline_is_short(const struct timeline_part *part, int64_t duration_ns) {
    return duration_ns < part->resolution_ns;
}

/* Tracks of the cluster as a whole: a process behind those of the nodes. */
enum timeline_thread { TIMELINE_SUBMITTED, TIMELINE_DECISIONS };

static inline struct trace_place timeline_place(const struct timeline_part *part,
                                                enum timeline_thread thread, int64_t time_ns) {
    return (struct trace_place){part->run->folder->cluster.node_count, thread, time_ns};
}

#endif
