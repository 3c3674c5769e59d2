/* Text that leaves in pieces (flow), from a child to its parent through memory that they share, and
   a task's trail in it. */
#ifndef EASIM_STUDY_SHARED_RING_H
#define EASIM_STUDY_SHARED_RING_H

#include "base/error.h"
#include "base/str.h"
#include "engine/observer.h"
#include "policy/fault.h"

#include <semaphore.h>
#include <stdatomic.h>
#include <sys/types.h>

#define FLOW_PIECE ((size_t)128 << 10) /* bytes that leave at once, at most */

/* Where pieces go. part: a number of the maker's, of one of several texts. */
struct outlet {
    void (*send)(void *context, unsigned part, struct slice piece);
    void *context;
};

/* Zero-initialised it keeps all that is added; release with flow_finish. */
struct flow {
    struct str text; /* what has not left yet */
    uint64_t sent;   /* bytes that have */
    const struct outlet *outlet;
    unsigned part;
};

/* Lets go of all but the last part of a piece. */
void flow_send(struct flow *flow);

/* Where the next row is to be added. */
static inline struct str *flow_row(struct flow *flow) {
    if (flow->text.length >= FLOW_PIECE && flow->outlet)
        flow_send(flow);
    return &flow->text;
}

static inline uint64_t flow_bytes(const struct flow *flow) {
    return flow->sent + flow->text.length;
}

void flow_finish(struct flow *flow);

/* --- conveyor --- */
/* Pieces of text from a child to its parent; the child waits while the memory is full. */

#define CONVEYOR_PIECES 8 /* at a time */

struct conveyor_piece {
    uint32_t part, length;
    char bytes[FLOW_PIECE];
};

/* In memory from mem_shared. */
struct conveyor {
    atomic_uint put, taken; /* pieces, ever; put is the child's, taken the parent's */
    sem_t room;
    int bell; /* a descriptor that is readable since CONVEYOR_RING pieces were full */
    struct conveyor_piece pieces[CONVEYOR_PIECES];
};

/* In the parent, before the child begins; negative: there is no bell, errno tells why. */
int conveyor_open(struct conveyor *conveyor) MUST_CHECK;
void conveyor_close(struct conveyor *conveyor); /* the child has ended */
/* In the child. */
void conveyor_put(struct conveyor *conveyor, unsigned part, struct slice piece);
/* In the parent: 1, and the next piece, which stays until conveyor_done; 0: there is none;
   negative: the child has spoilt what they share. */
int conveyor_take(struct conveyor *conveyor, unsigned *ret_part, struct slice *ret_piece);
void conveyor_done(struct conveyor *conveyor);
void conveyor_hush(struct conveyor *conveyor); /* the bell was heard */

/* --- trail: how far a task in a process of its own has come: where it crashed or hangs --- */

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
