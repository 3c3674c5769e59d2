/* Text in pieces, and memory that processes share: see shared_ring.h. */
#include "study/shared_ring.h"

#include "base/child.h"
#include "base/mem.h"
#include "base/own_state.h"
#include "base/units.h"
#include "engine/sim.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- pieces --- */

void pieces_send(struct pieces *pieces) {
    size_t at = 0;
    for (; pieces->text.length - at >= PIECE_BYTES; at += PIECE_BYTES)
        pieces->outlet->send(pieces->outlet->context, pieces->part,
                             (struct slice){pieces->text.text + at, PIECE_BYTES});
    pieces->sent += at;
    pieces->text.length -= at;
    memmove(pieces->text.text, pieces->text.text + at, pieces->text.length + 1);
}

void pieces_finish(struct pieces *pieces) {
    str_finish(&pieces->text);
    *pieces = (struct pieces){.sent = 0};
}

/* --- shared ring --- */
/* Invariant: put - taken pieces are full, the oldest at taken. The child may write anything there,
   and to the descriptor: the parent copies what it has checked. */

#define RING_WAKES_AT 4 /* with so many full the parent is woken */

int shared_ring_open(struct shared_ring *ring) {
    ring->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (ring->wake_fd < 0)
        return -1;
    atomic_store(&ring->put, 0);
    atomic_store(&ring->taken, 0);
    sem_init(&ring->room, 1, RING_PIECES);
    return 0;
}

void shared_ring_close(struct shared_ring *ring) {
    close(ring->wake_fd);
}

void shared_ring_put(struct shared_ring *ring, unsigned part, struct slice piece) {
    const uint64_t one = 1;
    while (sem_wait(&ring->room) < 0 && errno == EINTR)
        ;
    unsigned put = atomic_load_explicit(&ring->put, memory_order_relaxed);
    struct ring_piece *to = &ring->pieces[put % RING_PIECES];
    to->part = part;
    to->length = (uint32_t)piece.length;
    memcpy(to->bytes, piece.at, piece.length);
    atomic_store_explicit(&ring->put, put + 1, memory_order_release);
    /* It wakes the parent once for several pieces: the parent takes all that are there, and looks
       now and then anyway, for those that come slowly, or if a policy has closed the descriptor. */
    if (put + 1 - atomic_load(&ring->taken) == RING_WAKES_AT)
        (void)!write(ring->wake_fd, &one, sizeof one);
}

int shared_ring_take(struct shared_ring *ring, unsigned *ret_part, struct slice *ret_piece) {
    unsigned put = atomic_load_explicit(&ring->put, memory_order_acquire);
    unsigned taken = atomic_load_explicit(&ring->taken, memory_order_relaxed);
    if (put == taken)
        return 0;
    const struct ring_piece *from = &ring->pieces[taken % RING_PIECES];
    *ret_part = from->part;
    *ret_piece = (struct slice){from->bytes, *(const volatile uint32_t *)&from->length};
    return put - taken > RING_PIECES || ret_piece->length > PIECE_BYTES ? -1 : 1;
}

void shared_ring_done(struct shared_ring *ring) {
    atomic_fetch_add(&ring->taken, 1);
    sem_post(&ring->room);
}

void shared_ring_quiet(struct shared_ring *ring) {
    uint64_t count;
    (void)!read(ring->wake_fd, &count, sizeof count);
}

/* --- crash context --- */

#define ABSURD_BYTES ((size_t)1 << 46) /* no machine has them: whoever asks is to blame */

void crash_context_policy(struct crash_context *crash, const struct policy_module *module) {
    fault_name(module, crash->policy);
    fault_watch(module, &crash->fault);
}

void crash_context_end_policy(const struct crash_context *crash) {
    if (!crash)
        return;
    if (getpid() != crash->pid)
        _exit(EXIT_FAILURE);
    own_state_set_locale();
}

const char *crash_context_name(const struct crash_context *crash) {
    return crash->policy[0] ? crash->policy : "a policy that was being loaded";
}

/* A replication, and not a policy in it, nor one that is being loaded. */
static bool easim_is_at_work(const struct crash_context *crash) {
    return crash->generating > 0 || (crash->replication > 0 && !crash->fault.calling.name);
}

/* Where mem.h has no memory, or machine.h met another fault: what the parent is to say. */
static void leave_machine(void *context, size_t bytes, const char *fault) {
    struct crash_context *crash = context;
    const char *where = easim_is_at_work(crash)     ? "easim itself, not in"
                        : crash->fault.calling.name ? crash->fault.calling.name
                                                    : "the run";
    int length = fault
                     ? snprintf(crash->fault.words, FAULT_BYTES, "%s", fault)
                     : snprintf(crash->fault.words, FAULT_BYTES, "out of memory in %s%s %s", where,
                                easim_is_at_work(crash) ? "" : " of", crash_context_name(crash));
    if (bytes > 0 && length < FAULT_BYTES)
        snprintf(crash->fault.words + length, FAULT_BYTES - (size_t)length,
                 ": no room for %zu more bytes", bytes);
    crash->machine = bytes < ABSURD_BYTES;
    _exit(EXIT_FAILURE);
}

void crash_context_begin(struct crash_context *crash) {
    static const volatile bool *original; /* of the process that it is set in, and 0 in copies */
    if (!original || !*original)
        original = child_original();
    crash->pid = getpid();
    crash->original = original;
    mem_on_failure(leave_machine, crash);
}

static void note_time(void *context, const struct sim *sim, int64_t from_ns, int64_t to_ns) {
    struct crash_context *crash = context;
    (void)from_ns;
    crash->now_ns = to_ns;
    crash->decisions = sim->decision_total;
}

struct observer crash_context_observer(struct crash_context *crash) {
    return (struct observer){.context = crash, .advance = note_time};
}

/* Of a killed one the policy is named only if it may be to blame: not while easim itself works. */
static void explain_killed(const struct crash_context *crash, double grace_s, struct str *out) {
    bool own = easim_is_at_work(crash);
    str_addf(out, "%s%s was killed because it did not end within %g s",
             own ? "a replication" : "the run of ", own ? "" : crash_context_name(crash), grace_s);
}

/* How far it had come. */
static void explain_place(const struct crash_context *crash, struct str *out) {
    if (crash->generating > 0)
        str_addf(out, " (easim was generating the jobs of replication %u)", crash->generating);
    else if (crash->replication > 0)
        str_addf(out, " (replication %u, at t = %.9g s, after %llu decisions)", crash->replication,
                 units_s(crash->now_ns), (unsigned long long)crash->decisions);
}

void crash_context_explain(struct crash_context *crash, const struct process_end *end,
                           struct str *out) {
    const char *who = crash_context_name(crash);
    int status = end->status;
    if (crash->done && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return;
    crash->fault.words[FAULT_BYTES - 1] = crash->policy[FAULT_NAME_BYTES - 1] =
        '\0'; /* a policy may write anywhere */
    if (end->timed_out)
        str_addf(out, "the run of %s was not done within %g s", who, end->limit_s);
    else if (end->killed)
        explain_killed(crash, end->grace_s, out);
    else if (crash->fault.words[0]) {
        str_add(out, crash->fault.words);
        fault_locate(&crash->fault, out);
    } else if (WIFEXITED(status))
        str_addf(out, "the run of %s ended its process with exit status %d", who,
                 WEXITSTATUS(status));
    else
        str_addf(out, "the run of %s was ended by signal %d, %s", who, WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    explain_place(crash, out);
}
