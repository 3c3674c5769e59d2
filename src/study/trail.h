/* How far a task in a process of its own has come, in memory that it shares with its parent: of one
   that crashes or hangs it tells where. */
#ifndef EASIM_STUDY_TRAIL_H
#define EASIM_STUDY_TRAIL_H

#include "base/str.h"
#include "engine/observer.h"
#include "policy/fault.h"
#include "study/conveyor.h"

#include <sys/types.h>

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
    struct conveyor *conveyor;     /* for pieces of the result; NULL: none are wanted */
    pid_t pid;                     /* of the task; what its policy has forked has another */
    bool done;
    bool machine; /* it was the machine that failed, not the task: no memory, say */
};

/* How a process ended. */
struct trail_end {
    int status;             /* of waitpid */
    bool timed_out, killed; /* by its parent; killed: it was asked to end, and did not */
    double limit_s, grace_s;
};

/* In the child, before anything else. */
void trail_begin(struct trail *trail);
/* In the child, before code of the policy runs. */
void trail_policy(struct trail *trail, const struct policy_module *module);
/* Code of the policy has ended: so does this process if it is not the task but a copy that was
   forked, which must not give results. */
void trail_end_policy(const struct trail *trail);
/* Keeps now_ns and decisions up to date. */
struct observer trail_observer(struct trail *trail);

/* In the parent: the policy by its name. */
const char *trail_name(const struct trail *trail);
/* Why a task is not done; out stays empty if it is. */
void trail_explain(struct trail *trail, const struct trail_end *end, struct str *out);

#endif
