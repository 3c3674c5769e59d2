/* Tasks in processes of their own, some at a time. Whatever a plug-in does in one of them, the
   parent and the other tasks go on, and each task begins with the memory of the parent, not with
   what another one has left. */
#ifndef EASIM_STUDY_ISOLATE_H
#define EASIM_STUDY_ISOLATE_H

#include "base/str.h"
#include "engine/observer.h"
#include "policy/fault.h"

#include <stdatomic.h>
#include <sys/types.h>

/* How far a task has come, in memory that it shares with the parent: of one that crashes or hangs
 * it tells where.
 */
struct trail {
    char policy[FAULT_NAME_BYTES];
    char words[FAULT_BYTES]; /* of a crash; "": none, or it could not be told */
    uint32_t replication;    /* from 1; 0: none has begun */
    uint32_t generating;     /* replication whose jobs are being generated; 0: none */
    int64_t now_ns;
    uint64_t decisions;
    const char
        *calling; /* name of the callback of the policy that is running, a literal; NULL: none */
    const volatile bool *original; /* false in what its policy has forked; NULL: not known */
    uint64_t bytes;                /* of the result, */
    uint64_t hash;                 /* and of what is in it (base/hash.h) */
    pid_t pid;                     /* of the task; what its policy has forked has another */
    bool done;
    bool machine; /* it was the machine that failed, not the task: no memory, say */
};

/* In the child, before code of the policy runs. */
void trail_policy(struct trail *trail, const struct policy_module *module);
/* Code of the policy has ended: so does this process if it is not the task but a copy that was
   forked, which must not give results. */
void trail_end_policy(const struct trail *trail);
/* Keeps now_ns and decisions up to date. */
struct observer trail_observer(struct trail *trail);

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
