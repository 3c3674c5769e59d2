/* Events of a Chrome trace, one a line, as Perfetto reads them. */
#ifndef EASIM_INSIGHT_TIMELINE_TRACE_EVENTS_H
#define EASIM_INSIGHT_TIMELINE_TRACE_EVENTS_H

#include "base/str.h"
#include "io/atomic_file.h"

/* What an event is; each is counted by itself. */
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

/* What stands before the events; members: more of them, as {"a":1, ends with a comma. */
void trace_events_open(struct trace_events *events, const char *members);
/* Begins an event. False: it is only counted, and nothing is to be added to it. */
bool trace_event_begin(struct trace_events *events, enum trace_kind kind, struct trace_place place,
                       const char *name);
/* Members of the event itself, before its arguments. */
void trace_event_duration(struct trace_events *events, int64_t duration_ns);
void trace_event_category(struct trace_events *events, const char *category);
void trace_event_id(struct trace_events *events, uint64_t id);
void trace_event_member(struct trace_events *events, const char *json); /* "\"bp\":\"e\"" */
/* Its arguments; NULL, NAN and infinity are left out. */
void trace_event_text(struct trace_events *events, const char *name, const char *value);
void trace_event_int(struct trace_events *events, const char *name, int64_t value);
void trace_event_real(struct trace_events *events, const char *name, double value);
void trace_event_end(struct trace_events *events);
/* What stands behind them. Negative: something could not be written. */
int trace_events_close(struct trace_events *events, struct error *reterr) MUST_CHECK;
uint64_t trace_events_total(const struct trace_events *events);
void trace_events_finish(struct trace_events *events);

#endif
