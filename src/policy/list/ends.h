/* Running jobs by the time when they are expected to end: an indexed heap. Insert, move and remove
   in O(log n); those that end by some time in O(their number). */
#ifndef EASIM_POLICY_LIST_ENDS_H
#define EASIM_POLICY_LIST_ENDS_H

#include "base/array.h"

#include <stdint.h>

struct ends_entry {
    int64_t end_ns;
    uint32_t job;
};

/* Set places, leave the rest zero; release with ends_finish. A job is in one of the heaps that
   share an array of places, at most. */
struct ends {
    ARRAY_OF(struct ends_entry) heap;
    uint32_t *places; /* by job: place in the heap + 1, or 0; the owner's, zero at first */
};

void ends_finish(struct ends *ends);
void ends_add(struct ends *ends, uint32_t job, int64_t end_ns); /* not in it before */
void ends_remove(struct ends *ends, uint32_t job);              /* in it */
int64_t ends_first_ns(const struct ends *ends);                 /* INT64_MAX if empty */
/* Calls visit for all jobs that end by until_ns, in no particular but a reproducible order; it may
   not change the heap. */
void ends_visit(const struct ends *ends, int64_t until_ns, void (*visit)(uint32_t, void *),
                void *context);

#endif
