/* Tasks in processes of their own, some at a time. Whatever a plug-in does in one of them, the
   parent and the other tasks go on, and each task begins with the memory of the parent, not with
   what another one has left. */
#ifndef EASIM_STUDY_ISOLATE_H
#define EASIM_STUDY_ISOLATE_H

#include "study/trail.h"

#include <stdatomic.h>

struct isolated {
    size_t count;       /* tasks 0..count - 1, begun in this order */
    unsigned processes; /* at a time */
    double limit_s;     /* time by the clock for each task; 0: none */
    const atomic_bool *cancel;
    void *context;
    /* In a child, which is gone afterwards; what it adds to out, the parent gets. It has no
       descriptors but those of messages: standard output is standard error there. SIGTERM asks it
       to end early. */
    void (*work)(void *context, size_t task, struct trail *trail, struct str *out);
    /* In the parent, and NULL unless tasks put pieces on the conveyor of their trail: gets each, in
       the order in which a task puts them, before the call of done. begun: a task begins, perhaps
       again; what was got of it does not count. */
    void (*begun)(void *context, size_t task);
    void (*piece)(void *context, size_t task, unsigned part, struct slice piece);
    /* In the parent, in the order in which tasks end. failure: NULL, or how a task ended before it
       was done. Negative: no tasks of higher numbers are begun. */
    int (*done)(void *context, size_t task, struct slice result, const char *failure);
    /* In place of done, of a task for which there was no memory or no process, also when it was
       tried again after all others: another time it may do. NULL: done is called with the failure.
     */
    int (*lost)(void *context, size_t task, const char *failure);
};

/* Until all tasks are over, or cancelled: then those that have begun are given up without a call of
   done, but for what they finish within 2 s. ERROR_CANCELLED, "interrupted", and which policies had
   to be killed, for the caller to add what is kept; ERROR_MACHINE: no process can be
   started. */
int isolated_run(const struct isolated *all, struct error *reterr) MUST_CHECK;

#endif
