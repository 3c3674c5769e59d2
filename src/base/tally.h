/* Counts by reason: "12 times this, 3 times that", in the order of first appearance, with the first
   names of what was counted; and rows of a file of one sort. */
#ifndef EASIM_BASE_TALLY_H
#define EASIM_BASE_TALLY_H

#include "base/array.h"
#include "base/str.h"

#include <stdint.h>

#define TALLY_NAMES 6 /* that are kept */

struct tally_entry {
    char *reason;
    uint64_t count;
    char *names[TALLY_NAMES];
    uint32_t named; /* all different; TALLY_NAMES + 1: there are more */
};

/* Zero-initialise; release with tally_finish. */
struct tally {
    ARRAY_OF(struct tally_entry) entries;
};

void tally_add(struct tally *tally, const char *reason,
               uint64_t count); /* copies reason; a count of 0 adds nothing */
/* Adds a name to those of a reason that has been counted; NULL adds none. */
void tally_name(struct tally *tally, const char *reason, const char *name);
void tally_add_all(struct tally *tally, const struct tally *other);
/* "3, 17, 20 ...", or nothing. */
void tally_write_names(const struct tally_entry *entry, struct str *out);
void tally_finish(struct tally *tally);

/* Rows of one sort, for notes. */
struct row_tally {
    uint64_t count;
    uint32_t first_line; /* in the file; 0: none */
};

void row_tally_add(struct row_tally *tally, uint32_t line);

#endif
