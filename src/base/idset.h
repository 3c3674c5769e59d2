/* An ordered set of integers 0..size-1 as a tree of 64-way bitmaps: insert, remove, next and
   previous in O(log64 size). Untouched parts cost address space only (zero pages). */
#ifndef EASIM_BASE_IDSET_H
#define EASIM_BASE_IDSET_H

#include <stdbool.h>
#include <stdint.h>

#define IDSET_NONE   UINT64_MAX
#define IDSET_LEVELS 7 /* 64^7 = 2^42 members */

struct idset {
    uint64_t *levels[IDSET_LEVELS]; /* levels[0] holds the members, each higher level marks
                                       non-empty words */
    uint64_t size;
    int depth;
};

void idset_init(struct idset *set, uint64_t size); /* empty; size <= 2^40 */
void idset_finish(struct idset *set);
void idset_insert(struct idset *set, uint64_t id); /* no effect if present */
void idset_remove(struct idset *set, uint64_t id); /* no effect if absent */
bool idset_has(const struct idset *set, uint64_t id);
uint64_t idset_next(const struct idset *set,
                    uint64_t from); /* smallest member >= from, or IDSET_NONE */
uint64_t idset_prev(const struct idset *set,
                    uint64_t from); /* largest member <= from, or IDSET_NONE */

#endif
