/* Why streams of a GPU stood still. */
#ifndef EASIM_INGEST_KINETO_KINETO_IDLE_H
#define EASIM_INGEST_KINETO_KINETO_IDLE_H

#include "ingest/kineto/kineto_trace.h"

/* One stream of a device, in ns. What is idle but neither wait has another reason. */
struct kineto_stream {
    struct kineto_track track;
    uint64_t events;
    int64_t busy_until_ns;
    int64_t idle, host_wait, kernel_wait; /* between its first and last event */
};

struct kineto_streams {
    ARRAY_OF(struct kineto_stream) all; /* ordered by device and stream once complete */
};

/* One for each track; add events by start, then complete. Release with free(streams->all.at). */
void kineto_streams_init(struct kineto_streams *streams, const struct kineto_kinds *kinds);
/* launch_ns: when the host launched the event, if that is known. The gap before it, by HTA's rule:
   host_wait if the launch began after the stream had become free; else kernel_wait if it is shorter
   than delay_ns. */
void kineto_streams_add(struct kineto_streams *streams, const struct kineto_trace *trace,
                        const struct kineto_event *event, const int64_t *launch_ns,
                        int64_t delay_ns);
void kineto_streams_complete(struct kineto_streams *streams);

#endif
