/* Interning by open addressing. Invariant: at most half of the slots are in use. Slots hold a part
   of the hash, so that a search passes over other keys without a look at their entries, which are
   anywhere in memory. */
#include "base/intern.h"

#include "base/hash.h"

#include <stdlib.h>

#define UPPER_HALF 0xffffffff00000000ULL

/* Where the search for a hash begins: by the half of it that the slots hold. */
static size_t first_slot(const struct intern *table, uint64_t hash) {
    return (hash >> 32) & (table->slot_count - 1);
}

static void fill_slot(struct intern *table, uint64_t value) {
    size_t slot = first_slot(table, value);
    while (table->slots[slot] != 0)
        slot = (slot + 1) & (table->slot_count - 1);
    table->slots[slot] = value;
}

/* In the order of slots, which is nearly that of the new ones. */
static void grow_slots(struct intern *table) {
    uint64_t *old = table->slots;
    size_t count = table->slot_count;
    table->slot_count = count ? 2 * count : 64;
    table->slots = mem_zalloc(table->slot_count, sizeof *table->slots);
    for (size_t slot = 0; slot < count; slot++)
        if (old[slot] != 0)
            fill_slot(table, old[slot]);
    free(old);
}

/* Of this process only: numbers are given by first appearance, whatever it is. */
static uint64_t text_hash(const void *key, size_t length) {
    const unsigned char *at = key;
    uint64_t state = HASH_START ^ length, word;
    for (; length > sizeof word; at += sizeof word, length -= sizeof word) {
        memcpy(&word, at, sizeof word);
        state = (state ^ word) * 0x9e3779b97f4a7c15ULL;
        state ^= state >> 32;
    }
    word = 0;
    if (length > 0)
        memcpy(&word, at, length);
    return hash_mix(state ^ word);
}

void intern_expect(const struct intern *table, const void *key, size_t length) {
    if (table->slot_count > 0)
        __builtin_prefetch(&table->slots[first_slot(table, text_hash(key, length))]);
}

static uint32_t find_slot(const struct intern *table, const void *key, size_t length,
                          uint64_t hash) {
    if (table->slot_count == 0)
        return INTERN_NONE;
    for (size_t slot = first_slot(table, hash); table->slots[slot] != 0;
         slot = (slot + 1) & (table->slot_count - 1)) {
        if (((table->slots[slot] ^ hash) & UPPER_HALF) != 0)
            continue;
        uint32_t number = (uint32_t)table->slots[slot] - 1;
        const struct intern_entry *e = &table->entries.at[number];
        if (e->hash == hash && e->length == length &&
            (length == 0 || memcmp(e->key, key, length) == 0))
            return number;
    }
    return INTERN_NONE;
}

uint32_t intern_find(const struct intern *table, const void *key, size_t length) {
    return find_slot(table, key, length, text_hash(key, length));
}

uint32_t intern(struct intern *table, const void *key, size_t length, bool *is_new) {
    uint64_t hash = text_hash(key, length);
    uint32_t found = find_slot(table, key, length, hash);
    if (is_new)
        *is_new = found == INTERN_NONE;
    if (found != INTERN_NONE)
        return found;
    char *copy = arena_alloc(&table->arena, length + 1);
    if (length > 0)
        memcpy(copy, key, length);
    array_push(&table->entries, ((struct intern_entry){copy, length, hash}));
    uint32_t number = (uint32_t)table->entries.count - 1;
    if (2 * table->entries.count > table->slot_count)
        grow_slots(table);
    fill_slot(table, (hash & UPPER_HALF) | (number + 1));
    return number;
}

const char *intern_text(const struct intern *table, uint32_t number) {
    return table->entries.at[number].key;
}

void intern_finish(struct intern *table) {
    arena_finish(&table->arena);
    free(table->entries.at);
    free(table->slots);
    *table = (struct intern){0};
}
