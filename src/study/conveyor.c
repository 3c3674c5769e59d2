/* Pieces in shared memory. Invariant: put - taken of them are full, the oldest at taken. The child
   may write anything there, and through the bell: the parent copies what it has checked. */
#include "study/conveyor.h"

#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

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
