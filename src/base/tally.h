/* Counts by reason: "12 times this, 3 times that", in the order of first appearance; and rows of a
   file of one sort. */
#ifndef EASIM_BASE_TALLY_H
#define EASIM_BASE_TALLY_H

#include "base/array.h"

#include <stdint.h>

struct tally_entry {
    char *reason;
    uint64_t count;
};

/* Zero-initialise; release with tally_finish. */
struct tally {
    ARRAY_OF(struct tally_entry) entries;
};

void tally_add(struct tally *tally, const char *reason,
               uint64_t count); /* copies reason; a count of 0 adds nothing */
void tally_add_all(struct tally *tally, const struct tally *other);
void tally_finish(struct tally *tally);

/* Rows of one sort, for notes. */
struct row_tally {
    uint64_t count;
    uint32_t first_line; /* in the file; 0: none */
};

void row_tally_add(struct row_tally *tally, uint32_t line);

#endif
