/* Declarations shared by the files of src/insight/timeline, for this folder alone. */
#ifndef EASIM_INSIGHT_TIMELINE_INTERNAL_H
#define EASIM_INSIGHT_TIMELINE_INTERNAL_H

#include "base/str.h"
#include "insight/recorded_run.h"
#include "io/atomic_file.h"

/* --- trace_events: events of a Chrome trace, one a line, as Perfetto reads them --- */

/* Kinds of events, each counted by itself. */
enum trace_kind {
    TRACE_SLICE,    /* "X": from ts on, for dur */
    TRACE_BEGIN,    /* "b", and */
    TRACE_END,      /* "e": what may overlap, joined by id */
    TRACE_COUNTER,  /* "C" */
    TRACE_FLOW_OUT, /* "s": an arrow begins in the slice that is there, and */
    TRACE_FLOW_IN,  /* "f": ends in that one, joined by id */
    TRACE_INSTANT,  /* "i" */
    TRACE_METADATA, /* "M" */
    TRACE_KINDS
};

/* A track, or a place on it. */
struct trace_place {
    uint32_t pid, tid;
    int64_t time_ns;
};

/* Zero-initialise; with a file, events are written to it, without one only counted. Release with
   trace_events_finish, the file apart. */
struct trace_events {
    struct packed_file *file; /* or NULL; borrowed */
    struct str text;
    uint64_t count[TRACE_KINDS];
    struct error error; /* of the first write that failed: the rest is not written */
    bool has_arguments;
};

/* The text before the events; members: more of them, as {"a":1, ends with a comma. */
void trace_events_open(struct trace_events *events, const char *members);
/* Begins an event. False: it is only counted, and nothing is to be added to it. */
bool trace_event_begin(struct trace_events *events, enum trace_kind kind, struct trace_place place,
                       const char *name);
/* Members of the event itself, before its arguments. */
void trace_event_duration(struct trace_events *events, int64_t duration_ns);
void trace_event_category(struct trace_events *events, const char *category);
void trace_event_id(struct trace_events *events, uint32_t id);
void trace_event_member(struct trace_events *events, const char *json); /* "\"bp\":\"e\"" */
/* Its arguments; NULL, NAN and infinity are left out. */
void trace_event_text(struct trace_events *events, const char *name, const char *value);
void trace_event_int(struct trace_events *events, const char *name, int64_t value);
void trace_event_real(struct trace_events *events, const char *name, double value);
void trace_event_end(struct trace_events *events);
/* The text after them. Negative: something could not be written. */
int trace_events_close(struct trace_events *events, struct error *reterr) MUST_CHECK;
uint64_t trace_events_total(const struct trace_events *events);
void trace_events_finish(struct trace_events *events);

/* --- timeline_part: what the parts of a timeline share while it is made --- */

/* Numbers of slices and samples that a resolution has left out, or joined. */
struct timeline_thinned {
    uint64_t slices;    /* of GPUs, joined with others to one */
    uint64_t arrows;    /* from or to such a slice */
    uint64_t waits;     /* shorter than the resolution */
    uint64_t rests;     /* times asleep or failed that are shorter */
    uint64_t decisions; /* joined with others to one instant */
    uint64_t arrivals;  /* joined with others to one slice */
    uint64_t samples;   /* of counters, replaced by a later one of their interval */
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

/* Tracks of the cluster as a whole: a process after those of the nodes. */
enum timeline_thread { TIMELINE_SUBMITTED, TIMELINE_DECISIONS };

static inline struct trace_place timeline_place(const struct timeline_part *part,
                                                enum timeline_thread thread, int64_t time_ns) {
    return (struct trace_place){part->run->folder->cluster.node_count, thread, time_ns};
}

/* --- gpu_tracks: the tracks of GPUs: one each; of a GPU that jobs share one for each lane --- */

/* Release with gpu_tracks_finish. */
struct gpu_tracks {
    const struct cluster *cluster; /* borrowed */
    uint32_t *lanes;               /* of a GPU of each node, at least 1 */
    uint64_t *first;               /* number of each node's first track; then of all */
};

void gpu_tracks_init(struct gpu_tracks *tracks, const struct recorded_run *run);
/* Names and order of all tracks, those of the cluster too. */
void gpu_tracks_write(const struct gpu_tracks *tracks, struct timeline_part *part);
void gpu_tracks_finish(struct gpu_tracks *tracks);

/* --- gpu_slices --- */
/* The work of each GPU: a slice for each segment of a job, for sleep and for failures. */

/* Slices of one track follow each other and never overlap; their energies and lengths add up to
   those of the segments at any resolution: what is joined touches. */
void gpu_slices_write(struct timeline_part *part, const struct gpu_tracks *tracks);

/* --- job_events: events of jobs not on GPUs: submissions, waits, decisions --- */

/* A slice from each submission to the next one, in which arrows begin. */
void job_events_write_submissions(struct timeline_part *part);
/* Each time in the queue, joined by the number of its job. */
void job_events_write_waits(struct timeline_part *part);
/* Starts, preemptions, resizes, rejections, and stops by failed nodes. */
void job_events_write_decisions(struct timeline_part *part);

/* --- arrows --- */
/* The arrows of a timeline: from the submission of a job to its start, from where it lost its GPUs
   to where it goes on. An arrow is known by the segment that it leads to. */

#define ARROW_NONE UINT32_MAX

/* Whether an arrow would lead to the slice of that segment, were no slice too short. */
bool arrow_is_due(const struct timeline_part *part, uint32_t segment);
/* That which begins in a segment of GPUs, and that which ends there; ARROW_NONE: none, or one of
   its ends is in a slice that may be joined with others. */
uint32_t arrow_out_of(const struct timeline_part *part, uint32_t segment);
uint32_t arrow_into(const struct timeline_part *part, uint32_t segment);
/* Writes an end of an arrow, TRACE_FLOW_OUT or TRACE_FLOW_IN; the slice that it is in is written
   first. */
void arrow_write(struct timeline_part *part, enum trace_kind kind, struct trace_place place,
                 uint32_t arrow);

/* --- counters: the cluster over time: power, cap, waiting jobs, free GPUs, price, carbon --- */

/* Starts and ends of failures and of sleep, by time. */
struct counter_edges {
    struct counter_edge *at;
    size_t count, capacity;
};
void counter_edges_init(struct counter_edges *edges, const struct recorded_run *run);
void counter_edges_finish(struct counter_edges *edges);

/* A sample wherever a value changes, as power.csv has them (docs/reference/outputs.md); it holds
   until the next one, or the end of the run. */
void counters_write(const struct counter_edges *edges, struct timeline_part *part);

#endif
