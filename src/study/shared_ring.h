/* Text that leaves in pieces, from a child to its parent through memory that they share, and
   a task's crash context in it. */
#ifndef EASIM_STUDY_SHARED_RING_H
#define EASIM_STUDY_SHARED_RING_H

#include "base/error.h"
#include "base/str.h"
#include "engine/observer.h"
#include "policy/fault.h"

#include <semaphore.h>
#include <stdatomic.h>
#include <sys/types.h>

#define PIECE_BYTES ((size_t)128 << 10) /* bytes that leave at once, at most */

/* Where pieces go. part: a number of the maker's, of one of several texts. */
struct outlet {
    void (*send)(void *context, unsigned part, struct slice piece);
    void *context;
};

/* Zero-initialised it keeps all that is added; release with pieces_finish. */
struct pieces {
    struct str text; /* what has not left yet */
    uint64_t sent;   /* bytes that have */
    const struct outlet *outlet;
    unsigned part;
};

/* Lets go of all but the last part of a piece. */
void pieces_send(struct pieces *pieces);

/* Where the next row is to be added. */
static inline struct str *pieces_row(struct pieces *pieces) {
    if (pieces->text.length >= PIECE_BYTES && pieces->outlet)
        pieces_send(pieces);
    return &pieces->text;
}

static inline uint64_t pieces_bytes(const struct pieces *pieces) {
    return pieces->sent + pieces->text.length;
}

void pieces_finish(struct pieces *pieces);

/* --- shared ring --- */
/* Pieces of text from a child to its parent; the child waits while the memory is full. */

#define RING_PIECES 8 /* at a time */

struct ring_piece {
    uint32_t part, length;
    char bytes[PIECE_BYTES];
};

/* In memory from mem_shared. */
struct shared_ring {
    atomic_uint put, taken; /* pieces, ever; put is the child's, taken the parent's */
    sem_t room;
    int wake_fd; /* a descriptor that is readable since RING_WAKES_AT pieces were full */
    struct ring_piece pieces[RING_PIECES];
};

/* In the parent, before the child begins; negative: there is no descriptor, errno tells why. */
int shared_ring_open(struct shared_ring *ring) MUST_CHECK;
void shared_ring_close(struct shared_ring *ring); /* the child has ended */
/* In the child. */
void shared_ring_put(struct shared_ring *ring, unsigned part, struct slice piece);
/* In the parent: 1, and the next piece, which stays until shared_ring_done; 0: there is none;
   negative: the child has spoilt what they share. */
int shared_ring_take(struct shared_ring *ring, unsigned *ret_part, struct slice *ret_piece);
void shared_ring_done(struct shared_ring *ring);
void shared_ring_quiet(struct shared_ring *ring); /* the parent is awake */

/* --- crash context: how far a task in a process of its own has come: where it crashed or hangs ---
 */

struct crash_context {
    char policy[FAULT_NAME_BYTES];
    struct policy_fault fault; /* where its policy crashed, which callback runs */
    uint32_t replication;      /* from 1; 0: none has begun */
    uint32_t generating;       /* replication whose jobs are being generated; 0: none */
    int64_t now_ns;
    uint64_t decisions;
    const volatile bool *original; /* false in what its policy has forked; NULL: not known */
    uint64_t bytes;                /* of the result, */
    uint64_t hash;                 /* and of what is in it (base/hash.h) */
    struct shared_ring *ring;      /* for pieces of the result; NULL: none are wanted */
    pid_t pid;                     /* of the task; what its policy has forked has another */
    bool done;
    bool machine; /* it was the machine that failed, not the task: no memory, say */
};

/* How a process ended. */
struct process_end {
    int status;             /* of waitpid */
    bool timed_out, killed; /* by its parent; killed: it was asked to end, and did not */
    double limit_s, grace_s;
};

/* In the child, before anything else. */
void crash_context_begin(struct crash_context *crash);
/* In the child, before code of the policy runs. */
void crash_context_policy(struct crash_context *crash, const struct policy_module *module);
/* Code of the policy has ended: so does this process if it is not the task but a copy that was
   forked, which must not give results. NULL: nothing to do. */
void crash_context_end_policy(const struct crash_context *crash);
/* Keeps now_ns and decisions up to date. */
struct observer crash_context_observer(struct crash_context *crash);

/* In the parent: the policy by its name. */
const char *crash_context_name(const struct crash_context *crash);
/* Why a task is not done; out stays empty if it is. */
void crash_context_explain(struct crash_context *crash, const struct process_end *end,
                           struct str *out);

#endif
