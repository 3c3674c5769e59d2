/* Interning by open addressing. Invariant: at most half of the slots are in use. Slots hold a part
   of the hash, so that a search passes over other keys without a look at their entries, which are
   anywhere in memory. */
#include "base/intern.h"

#include "base/hash.h"

#include <stdlib.h>

#define UPPER_HALF 0xffffffff00000000ULL

static void place_entry(struct intern *table, uint32_t number) {
    size_t mask = table->slot_count - 1, slot = table->entries.at[number].hash & mask;
    while (table->slots[slot] != 0)
        slot = (slot + 1) & mask;
    table->slots[slot] = (table->entries.at[number].hash & UPPER_HALF) | (number + 1);
}

static void grow_slots(struct intern *table) {
    free(table->slots);
    table->slot_count = table->slot_count ? 2 * table->slot_count : 64;
    table->slots = mem_zalloc(table->slot_count, sizeof *table->slots);
    for (uint32_t i = 0; i < table->entries.count; i++)
        place_entry(table, i);
}

static uint64_t text_hash(const void *key, size_t length) {
    return hash_mix(hash_words(HASH_START, key, length));
}

static uint32_t find_slot(const struct intern *table, const void *key, size_t length,
                          uint64_t hash) {
    if (table->slot_count == 0)
        return INTERN_NONE;
    for (size_t slot = hash & (table->slot_count - 1); table->slots[slot] != 0;
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
    else
        place_entry(table, number);
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
