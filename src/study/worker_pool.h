/* Processes that work for this one, whatever happens in them: isolated tasks, and forked copies. */
#ifndef EASIM_STUDY_WORKER_POOL_H
#define EASIM_STUDY_WORKER_POOL_H

#include "study/shared_ring.h"

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
    void (*work)(void *context, size_t task, struct crash_context *crash, struct str *out);
    /* In the parent, and NULL unless tasks put pieces into the ring of their crash context: gets
       each, in the order in which a task puts them, before the call of done. begun: a task begins,
       perhaps again; what was got of it does not count. */
    void (*begun)(void *context, size_t task);
    void (*piece)(void *context, size_t task, unsigned part, struct slice piece);
    /* In the parent, in the order in which tasks end. failure: NULL, or how a task ended before it
       was done. Negative: no tasks of higher numbers are begun. */
    int (*done)(void *context, size_t task, struct slice result, const char *failure);
    /* In place of done, of a task for which there was no memory or no process, also when it was
       tried again after all others: another time it may do. NULL: done is called with the failure.
     */
    int (*lost)(void *context, size_t task, const char *failure);
    /* Code of the tasks leaves nothing behind: they may follow each other in one process. Else each
       has its own. */
    bool shares;
};

/* Until all tasks are over, or cancelled: then those that have begun are given up without a call of
   done, but for what they finish within 2 s. ERROR_CANCELLED, "interrupted", and which policies had
   to be killed, for the caller to add what is kept; ERROR_MACHINE: no process can be
   started. */
int isolated_run(const struct isolated *all, struct error *reterr) MUST_CHECK;

/* --- forked --- */
/* A copy of this process that hands a result in: a task of a pool, or a simulation that goes
   another way from here on. */

struct forked {
    pid_t pid;  /* 0: none */
    int ended;  /* child_watch */
    int result; /* a file in memory */
    int orders; /* a socket between the caller and a copy that stays; -1: there is none */
    double began_s;
    /* The caller's, from mem_shared, and kept when the process is forgotten. ring: open, or
     * NULL. */
    struct crash_context *crash;
    struct shared_ring *ring;
};

/* Returns twice: 1 in the copy, which has no descriptors but those of messages, its result and the
   descriptor that wakes the reader of its ring (its standard output is standard error) and ends by
   forked_hand_in or _exit alone; 0 in the caller. Negative: there is none, errno tells why. stays:
   it may do more than one task. */
int forked_start(struct forked *forked, bool stays) MUST_CHECK;
/* In the copy. */
_Noreturn void forked_hand_in(const struct forked *forked, const struct str *result);
/* In a copy that stays: hands a result in and waits for the number of the next task. Without one,
   or if `end` is set by then, the copy ends here. */
size_t forked_next(const struct forked *forked, const struct str *result, const atomic_bool *end);
/* In the caller: the task of a copy that stays is over; and it gets its next one (false: it is
 * gone). */
bool forked_is_done(const struct forked *forked);
bool forked_order(struct forked *forked, size_t task) MUST_CHECK;
/* With what its policy may have started. */
void forked_kill(const struct forked *forked);
/* Waits for its end; the rest of its process group, if there is any, ends too. */
int forked_wait(const struct forked *forked);
/* What it has handed in, unless it was cut or changed since: then it is empty, and why is added.
   Nobody can change what is mapped: release with forked_close_result. */
struct slice forked_open_result(const struct forked *forked, struct str *failure);
void forked_close_result(struct slice result);
/* Closes its descriptors: no process any more. */
void forked_forget(struct forked *forked);

#endif
