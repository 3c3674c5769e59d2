/* The waiting jobs of an index queue by who submitted them: a heap of one tournament for each user,
   or of a single one where users do not matter. A place in the heap is that of a bound: what the
   first job of a user was worth when it was last looked at. While values of a user only grow, the
   top is brought up to date until one stays there; the users below are not looked at. */
#ifndef EASIM_POLICY_LIST_CROWD_H
#define EASIM_POLICY_LIST_CROWD_H

#include "policy/list/queue.h"

#include <stdbool.h>

/* Jobs of one user. */
struct crowd_member {
    struct queue jobs;
    double value; /* of the first job, when it was last looked at */
    uint32_t job; /* that one */
    uint32_t user;
    uint32_t place; /* in the heap, while there are jobs */
    uint64_t stamp; /* of the pass that looked at it last */
};

/* Members that have jobs, as numbers in an array of those of all crowds; zero-initialise, release
   heap.at. */
struct crowd {
    ARRAY_OF(uint32_t) heap;
};

/* A member's jobs, or their values, have changed: into its place, or out if it has none left.
   is_new: it had none. */
void crowd_sort_in(struct crowd *crowd, struct crowd_member *members, uint32_t member, bool is_new);

#endif
