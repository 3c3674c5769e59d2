/* The memory of a view in a checked run. It is mapped twice, for the host to write and for policies
   to read, so a policy that writes by accident crashes. A copy has what the host wrote. Writes by
   any other way are found by comparing with it: a place before the host next changes it, a window
   that moves on at every look, and at times all of it. Cost of a decision: the host's changes, and
   two windows of constant size. */
#ifndef EASIM_ENGINE_GUARD_H
#define EASIM_ENGINE_GUARD_H

#include "base/array.h"

#include <stdbool.h>
#include <stdint.h>

#define GUARD_LINE 64 /* bytes that are noted, copied and compared together */

#ifndef HAS_FEATURES
#define HAS_FEATURES true /* false: as in lean.c, where no view is checked */
#endif

/* Zero-initialise; release with guard_finish. */
struct guard {
    void *host;        /* the host's mapping, read-write */
    const void *shown; /* the policies': read-only pages of the same memory, or, without a copy,
                          host itself */
    size_t bytes;
    bool mapped;              /* it lies on pages of its own */
    char *copy;               /* of what the host has last shown; NULL: not a checked run */
    uint32_t *noted_at;       /* by line: `round` in which the host opened it */
    ARRAY_OF(uint32_t) noted; /* lines that the host has opened in this round */
    uint32_t round;           /* of the host; 0: nothing has been shown yet */
    size_t next;              /* where the wandering look goes on */
    const void
        *damage; /* the first place found that somebody else has written, in the host's mapping */
};

/* Maps the same zeroed memory `count` times: the first can be read and written, the second read,
   and the others not even that yet. If the system refuses, here and below, the process ends as
   without memory. */
void guard_map(size_t bytes, void *ret[], int count);

/* Maps zeroed memory; checked: twice, and keeps a copy. */
void guard_init(struct guard *guard, size_t bytes, bool checked);
void guard_finish(struct guard *guard); /* accepts a zeroed one */
/* Makes whole pages of a checked memory, which follow an array, unreadable for policies. */
void guard_hide(struct guard *guard, size_t from, size_t bytes);

/* Called before the host changes the bytes at `at` of its mapping: makes them writable. */
static inline void *guard_open(struct guard *guard, const void *at, size_t bytes);
/* The policy may look from now on. */
void guard_show(struct guard *guard);
/* The policy has looked: compares `all` or a part of the memory; false once there is damage. */
bool guard_check(struct guard *guard, bool all);

void guard_note(struct guard *guard, size_t from, size_t bytes);

static inline void *guard_open(struct guard *guard, const void *at, size_t bytes) {
    size_t from = (size_t)((const char *)at - (const char *)guard->host);
    if (HAS_FEATURES && guard->round > 0)
        guard_note(guard, from, bytes);
    return (char *)guard->host + from;
}

#endif
