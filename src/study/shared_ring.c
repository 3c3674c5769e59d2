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

/* --- flow --- */

void flow_send(struct flow *flow) {
    size_t at = 0;
    for (; flow->text.length - at >= FLOW_PIECE; at += FLOW_PIECE)
        flow->outlet->send(flow->outlet->context, flow->part,
                           (struct slice){flow->text.text + at, FLOW_PIECE});
    flow->sent += at;
    flow->text.length -= at;
    memmove(flow->text.text, flow->text.text + at, flow->text.length + 1);
}

void flow_finish(struct flow *flow) {
    str_finish(&flow->text);
    *flow = (struct flow){.sent = 0};
}

/* --- conveyor --- */
/* Invariant: put - taken pieces are full, the oldest at taken. The child may write anything there,
   and through the bell: the parent copies what it has checked. */

#define CONVEYOR_RING 4 /* with so many full the bell is rung */

int conveyor_open(struct conveyor *conveyor) {
    conveyor->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (conveyor->bell < 0)
        return -1;
    atomic_store(&conveyor->put, 0);
    atomic_store(&conveyor->taken, 0);
    sem_init(&conveyor->room, 1, CONVEYOR_PIECES);
    return 0;
}

void conveyor_close(struct conveyor *conveyor) {
    close(conveyor->bell);
}

void conveyor_put(struct conveyor *conveyor, unsigned part, struct slice piece) {
    const uint64_t one = 1;
    while (sem_wait(&conveyor->room) < 0 && errno == EINTR)
        ;
    unsigned put = atomic_load_explicit(&conveyor->put, memory_order_relaxed);
    struct conveyor_piece *to = &conveyor->pieces[put % CONVEYOR_PIECES];
    to->part = part;
    to->length = (uint32_t)piece.length;
    memcpy(to->bytes, piece.at, piece.length);
    atomic_store_explicit(&conveyor->put, put + 1, memory_order_release);
    /* It wakes the parent once for several pieces: the parent takes all that are there, and looks
       now and then anyway, for those that come slowly, or if a policy has closed the bell. */
    if (put + 1 - atomic_load(&conveyor->taken) == CONVEYOR_RING)
        (void)!write(conveyor->bell, &one, sizeof one);
}

int conveyor_take(struct conveyor *conveyor, unsigned *ret_part, struct slice *ret_piece) {
    unsigned put = atomic_load_explicit(&conveyor->put, memory_order_acquire);
    unsigned taken = atomic_load_explicit(&conveyor->taken, memory_order_relaxed);
    if (put == taken)
        return 0;
    const struct conveyor_piece *from = &conveyor->pieces[taken % CONVEYOR_PIECES];
    *ret_part = from->part;
    *ret_piece = (struct slice){from->bytes, *(const volatile uint32_t *)&from->length};
    return put - taken > CONVEYOR_PIECES || ret_piece->length > FLOW_PIECE ? -1 : 1;
}

void conveyor_done(struct conveyor *conveyor) {
    atomic_fetch_add(&conveyor->taken, 1);
    sem_post(&conveyor->room);
}

void conveyor_hush(struct conveyor *conveyor) {
    uint64_t count;
    (void)!read(conveyor->bell, &count, sizeof count);
}

/* --- trail --- */

#define ABSURD_BYTES ((size_t)1 << 46) /* no machine has them: whoever asks is to blame */

void trail_policy(struct trail *trail, const struct policy_module *module) {
    fault_name(module, trail->policy);
    fault_watch(module, trail->words);
}

void trail_end_policy(const struct trail *trail) {
    if (getpid() != trail->pid)
        _exit(EXIT_FAILURE);
    own_state_set_locale();
}

const char *trail_name(const struct trail *trail) {
    return trail->policy[0] ? trail->policy : "a policy that was being loaded";
}

/* A replication, and not a policy in it, nor one that is being loaded. */
static bool easim_is_at_work(const struct trail *trail) {
    return trail->generating > 0 || (trail->replication > 0 && !trail->calling);
}

/* Where mem.h has no memory, or machine.h met another fault: what the parent is to say. */
static void leave_machine(void *context, size_t bytes, const char *fault) {
    struct trail *trail = context;
    const char *where = easim_is_at_work(trail) ? "easim itself, not in"
                        : trail->calling        ? trail->calling
                                                : "the run";
    int length = fault ? snprintf(trail->words, FAULT_BYTES, "%s", fault)
                       : snprintf(trail->words, FAULT_BYTES, "out of memory in %s%s %s", where,
                                  easim_is_at_work(trail) ? "" : " of", trail_name(trail));
    if (bytes > 0 && length < FAULT_BYTES)
        snprintf(trail->words + length, FAULT_BYTES - (size_t)length,
                 ": no room for %zu more bytes", bytes);
    trail->machine = bytes < ABSURD_BYTES;
    _exit(EXIT_FAILURE);
}

void trail_begin(struct trail *trail) {
    trail->pid = getpid();
    trail->original = child_original();
    mem_on_failure(leave_machine, trail);
}

static void note_time(void *context, const struct sim *sim, int64_t from_ns, int64_t to_ns) {
    struct trail *trail = context;
    (void)from_ns;
    trail->now_ns = to_ns;
    trail->decisions = sim->decision_total;
}

struct observer trail_observer(struct trail *trail) {
    return (struct observer){.context = trail, .advance = note_time};
}

/* Of a killed one the policy is named only if it may be to blame: not while easim itself works. */
static void explain_killed(const struct trail *trail, double grace_s, struct str *out) {
    bool own = easim_is_at_work(trail);
    str_addf(out, "%s%s was killed, for it did not end within %g s",
             own ? "a replication" : "the run of ", own ? "" : trail_name(trail), grace_s);
}

/* How far it had come. */
static void explain_place(const struct trail *trail, struct str *out) {
    if (trail->generating > 0)
        str_addf(out, " (easim was generating the jobs of replication %u)", trail->generating);
    else if (trail->replication > 0)
        str_addf(out, " (replication %u, at t = %.9g s, after %llu decisions)", trail->replication,
                 units_s(trail->now_ns), (unsigned long long)trail->decisions);
}

void trail_explain(struct trail *trail, const struct trail_end *end, struct str *out) {
    const char *who = trail_name(trail);
    int status = end->status;
    if (trail->done && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return;
    trail->words[FAULT_BYTES - 1] = trail->policy[FAULT_NAME_BYTES - 1] =
        '\0'; /* a policy may write anywhere */
    if (end->timed_out)
        str_addf(out, "the run of %s was not done within %g s", who, end->limit_s);
    else if (end->killed)
        explain_killed(trail, end->grace_s, out);
    else if (trail->words[0])
        str_add(out, trail->words);
    else if (WIFEXITED(status))
        str_addf(out, "the run of %s ended its process with exit status %d", who,
                 WEXITSTATUS(status));
    else
        str_addf(out, "the run of %s was ended by signal %d, %s", who, WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    explain_place(trail, out);
}
