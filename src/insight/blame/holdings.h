/* From when to when jobs held GPUs without waiting in between, and which job made room for each.
   (semantics 26.2) */
#ifndef EASIM_INSIGHT_BLAME_HOLDINGS_H
#define EASIM_INSIGHT_BLAME_HOLDINGS_H

#include "insight/segment_events.h"

/* A job that is resized, or preempted and started again at the same instant, goes on. */
struct holding {
    uint32_t job;
    uint32_t segment; /* its first on GPUs */
    int64_t start_ns, end_ns;
    int64_t waited_ns;   /* before start_ns, since the submission or the last holding */
    uint32_t behind;     /* the job that was the last to release a GPU that this one takes,
                            or EASIM_NONE: it did not wait, or nobody had held them */
    int64_t released_ns; /* when */
};

/* Zero-initialise; release with holdings_finish. */
struct holdings {
    ARRAY_OF(struct holding) list; /* by job, then time */
    size_t *first;                 /* by job, and one more: place of its first one */
};

void holdings_find(struct holdings *holdings, const struct recorded_run *run,
                   const struct segment_events *events);
void holdings_finish(struct holdings *holdings);

#endif
