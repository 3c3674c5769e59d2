/* An ordered set of integers as a tree of 64-way bitmaps. Invariant: bit i of level l+1 is set
   exactly when word i of level l is not zero. */
#include "base/idset.h"
#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <sys/mman.h>

#define MAPPED_BYTES ((uint64_t)1 << 20) /* from here on mapped, not counted as memory */

/* Words of a level; the top level has one. */
static uint64_t level_words(uint64_t size, int level) {
    return size == 0 ? 1 : ((size - 1) >> (6 * (level + 1))) + 1;
}

static uint64_t total_bytes(uint64_t size, int depth) {
    uint64_t words = 0;
    for (int level = 0; level < depth; level++)
        words += level_words(size, level);
    return words * sizeof(uint64_t);
}

/* All levels in one piece: from malloc while small, else pages that cost nothing until touched
   (calloc of 128 GiB would be refused, a mapping without reservation is not). */
static uint64_t *zeroed_words(uint64_t bytes) {
    if (bytes < MAPPED_BYTES)
        return mem_zalloc(bytes, 1);
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        mem_exhausted(bytes);
    return memory;
}

void idset_init(struct idset *set, uint64_t size) {
    assert(size <= 1ULL << 40);
    *set = (struct idset){.size = size, .depth = 1};
    while (level_words(size, set->depth - 1) > 1)
        set->depth++;
    uint64_t *words = zeroed_words(total_bytes(size, set->depth));
    for (int level = 0; level < set->depth; level++) {
        set->levels[level] = words;
        words += level_words(size, level);
    }
}

void idset_finish(struct idset *set) {
    if (!set || !set->levels[0])
        return;
    uint64_t bytes = total_bytes(set->size, set->depth);
    if (bytes >= MAPPED_BYTES)
        munmap(set->levels[0], bytes);
    else
        free(set->levels[0]);
    *set = (struct idset){0};
}

static uint64_t bit_of(uint64_t id) {
    return 1ULL << (id & 63);
}

void idset_insert(struct idset *set, uint64_t id) {
    assert(id < set->size);
    for (int level = 0; level < set->depth; level++, id >>= 6) {
        uint64_t *word = &set->levels[level][id >> 6];
        uint64_t before = *word;
        *word |= bit_of(id);
        if (before != 0)
            return; /* the levels above know it already */
    }
}

void idset_remove(struct idset *set, uint64_t id) {
    if (!idset_has(set, id))
        return;
    for (int level = 0; level < set->depth; level++, id >>= 6) {
        uint64_t *word = &set->levels[level][id >> 6];
        *word &= ~bit_of(id);
        if (*word != 0)
            return;
    }
}

bool idset_has(const struct idset *set, uint64_t id) {
    return id < set->size && (set->levels[0][id >> 6] & bit_of(id)) != 0;
}

uint64_t idset_next(const struct idset *set, uint64_t from) {
    uint64_t at = from;
    for (int level = 0; level < set->depth && from < set->size; level++) {
        if (at >> 6 >= level_words(set->size, level))
            return IDSET_NONE;
        uint64_t bits = set->levels[level][at >> 6] >> (at & 63);
        if (bits == 0) {
            at = (at >> 6) + 1;
            continue;
        }
        at += (uint64_t)__builtin_ctzll(bits);
        while (level-- > 0)
            at = at << 6 | (uint64_t)__builtin_ctzll(set->levels[level][at]);
        return at;
    }
    return IDSET_NONE;
}

uint64_t idset_prev(const struct idset *set, uint64_t from) {
    if (set->size == 0)
        return IDSET_NONE;
    uint64_t at = from < set->size ? from : set->size - 1;
    for (int level = 0; level < set->depth; level++) {
        uint64_t bits = set->levels[level][at >> 6] << (63 - (at & 63));
        if (bits == 0) {
            if (at >> 6 == 0)
                return IDSET_NONE;
            at = (at >> 6) - 1;
            continue;
        }
        at -= (uint64_t)__builtin_clzll(bits);
        while (level-- > 0)
            at = at << 6 | (63 - (uint64_t)__builtin_clzll(set->levels[level][at]));
        return at;
    }
    return IDSET_NONE;
}
