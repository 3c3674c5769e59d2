/* The chain of jobs that led to the last finish of a run: each waited for a GPU that the one before
   it released last (semantics 26.2). */
#ifndef EASIM_INSIGHT_BLAME_CRITICAL_PATH_H
#define EASIM_INSIGHT_BLAME_CRITICAL_PATH_H

#include "insight/recorded_run.h"

/* --- holdings --- */
/* When jobs held GPUs without waiting in between, and which job made room for each. */

/* A job that is resized, or preempted and started again at the same instant, goes on. */
struct holding {
    uint32_t job;
    uint32_t segment; /* its first on GPUs */
    int64_t start_ns, end_ns;
    int64_t waited_ns;   /* before start_ns, since the submission or the last holding */
    uint32_t behind;     /* last job on its GPUs; EASIM_NONE: it did not wait, or they were free */
    int64_t released_ns; /* when */
};

/* Zero-initialise; release with holdings_finish. */
struct holdings {
    ARRAY_OF(struct holding) list; /* by job, then time */
    size_t *first;                 /* by job, and one more: place of its first one */
};

void holdings_find(struct holdings *holdings, const struct recorded_run *run);
void holdings_finish(struct holdings *holdings);

/* --- critical_path --- */

/* A job held GPUs until it released one for the next link, or finished. */
struct critical_link {
    uint32_t job;
    int64_t start_ns, end_ns;
    int64_t gap_ns; /* from the release by the link before to start_ns; of the first one 0 */
};

/* Zero-initialise; release with critical_path_finish. */
struct critical_path {
    ARRAY_OF(struct critical_link) links; /* in order of time; none: no job finished */
    int64_t held_ns;                      /* of all links */
    int64_t length_ns;   /* from the first start to the last finish: held_ns and the gaps */
    int64_t makespan_ns; /* from the first submission to the last finish; 0: none */
};

void critical_path_find(struct critical_path *path, const struct recorded_run *run,
                        const struct holdings *holdings);
void critical_path_finish(struct critical_path *path);

#endif
