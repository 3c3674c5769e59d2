/* The tree of bitmaps against a plain array of booleans. */
#include "base/idset.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static uint64_t next_random(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static uint64_t naive_next(const bool *members, uint64_t size, uint64_t from) {
    for (; from < size; from++)
        if (members[from])
            return from;
    return IDSET_NONE;
}

static uint64_t naive_prev(const bool *members, uint64_t size, uint64_t from) {
    for (uint64_t i = from < size ? from + 1 : size; i-- > 0;)
        if (members[i])
            return i;
    return IDSET_NONE;
}

static void check_size(uint64_t size, int steps, uint64_t *seed) {
    struct idset set;
    idset_init(&set, size);
    bool *members = calloc(size + 1, sizeof *members);
    for (int i = 0; i < steps; i++) {
        uint64_t id = next_random(seed) % size;
        if (i % 3 == 0)
            id = id / 61 * 61 % size; /* repeats, so that removals hit */
        bool insert = next_random(seed) % 100 < (i / 500 % 2 ? 20 : 70); /* filling and emptying */
        if (insert)
            idset_insert(&set, id);
        else
            idset_remove(&set, id);
        members[id] = insert;
        uint64_t from = next_random(seed) % (size + 3);
        if (idset_next(&set, from) != naive_next(members, size, from) ||
            idset_prev(&set, from) != naive_prev(members, size, from) ||
            idset_has(&set, id) != insert)
            cr_assert_fail("size %llu, step %d", (unsigned long long)size, i);
    }
    free(members);
    idset_finish(&set);
}

Test(idset, agrees_with_booleans) {
    static const uint64_t sizes[] = {1,    2,    63,   64,    65,     127,
                                     4095, 4096, 4097, 30011, 262144, 262145};
    uint64_t seed = 17;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        check_size(sizes[i], 3000, &seed);
}

Test(idset, empty_and_full) {
    struct idset set;
    idset_init(&set, 0);
    cr_assert_eq(idset_next(&set, 0), IDSET_NONE);
    cr_assert_eq(idset_prev(&set, 5), IDSET_NONE);
    cr_assert_not(idset_has(&set, 0));
    idset_remove(&set, 3);
    idset_finish(&set);
    idset_finish(&set);
    idset_finish(NULL);

    idset_init(&set, 5000);
    cr_assert_eq(idset_next(&set, 0), IDSET_NONE);
    for (uint64_t i = 0; i < 5000; i++)
        idset_insert(&set, i);
    for (uint64_t i = 0; i < 5000; i++) {
        cr_assert_eq(idset_next(&set, i), i);
        cr_assert_eq(idset_prev(&set, i), i);
    }
    cr_assert_eq(idset_prev(&set, UINT64_MAX), 4999);
    cr_assert_eq(idset_next(&set, 5000), IDSET_NONE);
    for (uint64_t i = 0; i < 5000; i++)
        idset_remove(&set, i);
    cr_assert_eq(idset_next(&set, 0), IDSET_NONE);
    idset_finish(&set);
}

/* 2^40 members take 130 GiB of addresses and a few pages of memory. */
Test(idset, largest_size) {
    struct idset set;
    uint64_t size = 1ULL << 40;
    static const uint64_t ids[] = {0, 77, 4096, 1ULL << 30, (1ULL << 39) + 12345, (1ULL << 40) - 1};
    idset_init(&set, size);
    for (size_t i = 0; i < 6; i++)
        idset_insert(&set, ids[i]);
    for (size_t i = 0; i + 1 < 6; i++) {
        cr_assert_eq(idset_next(&set, ids[i] + 1), ids[i + 1]);
        cr_assert_eq(idset_prev(&set, ids[i + 1] - 1), ids[i]);
    }
    idset_remove(&set, ids[3]);
    cr_assert_eq(idset_next(&set, ids[2] + 1), ids[4]);
    cr_assert_eq(idset_prev(&set, ids[4] - 1), ids[2]);
    idset_finish(&set);
}
