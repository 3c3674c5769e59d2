/* The step of GPU work, and its time by compute, communication, memory and idle. */
#ifndef EASIM_INGEST_KINETO_KINETO_SHARES_H
#define EASIM_INGEST_KINETO_KINETO_SHARES_H

#include "ingest/kineto/kineto_trace.h"

/* --- kineto_idle: why streams of a GPU stood still --- */

/* One stream of a device, in ns. Idle time that is neither wait has another reason. */
struct kineto_stream {
    struct kineto_track track;
    uint64_t events;
    int64_t busy_until_ns;
    int64_t idle, host_wait, kernel_wait; /* between its first and last event */
};

struct kineto_streams {
    ARRAY_OF(struct kineto_stream) all; /* ordered by device and stream once complete */
};

/* --- kineto_shares --- */

/* Lengths of unions of intervals, in ns. span = busy + idle; classes may overlap each other. */
struct kineto_shares {
    int64_t span, busy, idle;
    int64_t compute, communication, memory;
    int64_t overlap; /* of communication and compute */
    int64_t exposed; /* communication outside compute and memory */
    uint64_t events, communication_events;
};

/* Orders steps by number, the first of equal ones. Every event gets its step: that in which its
   launch lies, or, without a launch, that in which it begins. With a pattern, a step reaches to the
   start of the next and the last is left out. If the user chose steps, only those and their events
   are kept. Events are ordered by start. Launches are released. *ret_streams: the caller's,
   free(ret_streams->all.at). */
void kineto_prepare(struct kineto_trace *trace, const struct kineto_reading *reading,
                    struct kineto_streams *ret_streams);
/* Shares over all events. */
struct kineto_shares kineto_shares_of(const struct kineto_trace *trace);
/* One for each of the first `count` steps of the trace; *ret_shares is owned by the caller: free.
   Events come back in their order. */
void kineto_shares_by_step(struct kineto_trace *trace, size_t count,
                           struct kineto_shares **ret_shares);

#endif
