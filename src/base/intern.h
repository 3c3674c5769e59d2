/* Keys (any bytes) to dense numbers 0, 1, 2, ... in the order of first appearance. */
#ifndef EASIM_BASE_INTERN_H
#define EASIM_BASE_INTERN_H

#include "base/arena.h"
#include "base/array.h"

#include <stdbool.h>
#include <stdint.h>

#define INTERN_NONE UINT32_MAX

struct intern_entry {
    const void *key; /* copy in the arena */
    size_t length;
};

/* Zero-initialise; release with intern_finish. */
struct intern {
    struct arena arena;
    ARRAY_OF(struct intern_entry) entries; /* by number */
    uint64_t *slots;   /* open addressing: number + 1 below, the upper half of its hash above; 0:
                          empty */
    size_t slot_count; /* a power of two */
    size_t placed;     /* entries that have a slot; those behind them get one at the next search */
    size_t behind_all; /* of intern_ascending: 1 + the number of the greatest key; 0: none yet */
};

/* The number of key; *is_new (may be NULL) says whether it was given just now. */
uint32_t intern(struct intern *table, const void *key, size_t length, bool *is_new);
/* As intern, of texts that mostly come in ascending order (the shorter one first, of the same
   length by bytes), as ids of logs do: one behind all others is new without a search. */
uint32_t intern_ascending(struct intern *table, const char *text, size_t length, bool *is_new);
/* A key will be asked for soon: what that looks at is on its way from memory. */
void intern_expect(const struct intern *table, const void *key, size_t length);
/* The number of a key that has one, or INTERN_NONE; not of a table of intern_ascending. */
uint32_t intern_find(const struct intern *table, const void *key, size_t length);
/* Text keys are stored with a NUL, so this is a string. */
const char *intern_text(const struct intern *table, uint32_t number);
void intern_finish(struct intern *table);

#endif
