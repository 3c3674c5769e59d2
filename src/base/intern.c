/* Interning by open addressing. Invariant: at most half of the slots are in use. */
#include "base/intern.h"

#include "base/hash.h"

#include <stdlib.h>

static void place_entry(struct intern *t, uint32_t number) {
    size_t mask = t->slot_count - 1, slot = t->entries.at[number].hash & mask;
    while (t->slots[slot] != 0)
        slot = (slot + 1) & mask;
    t->slots[slot] = number + 1;
}

static void grow_slots(struct intern *t) {
    free(t->slots);
    t->slot_count = t->slot_count ? 2 * t->slot_count : 64;
    t->slots = mem_zalloc(t->slot_count, sizeof *t->slots);
    for (uint32_t i = 0; i < t->entries.count; i++)
        place_entry(t, i);
}

static uint64_t text_hash(const void *key, size_t length) {
    return hash_mix(hash_bytes(HASH_START, key, length));
}

static uint32_t find_slot(const struct intern *t, const void *key, size_t length, uint64_t hash) {
    if (t->slot_count == 0)
        return INTERN_NONE;
    for (size_t slot = hash & (t->slot_count - 1); t->slots[slot] != 0;
         slot = (slot + 1) & (t->slot_count - 1)) {
        const struct intern_entry *e = &t->entries.at[t->slots[slot] - 1];
        if (e->hash == hash && e->length == length &&
            (length == 0 || memcmp(e->key, key, length) == 0))
            return t->slots[slot] - 1;
    }
    return INTERN_NONE;
}

uint32_t intern_find(const struct intern *t, const void *key, size_t length) {
    return find_slot(t, key, length, text_hash(key, length));
}

uint32_t intern(struct intern *t, const void *key, size_t length, bool *is_new) {
    uint64_t hash = text_hash(key, length);
    uint32_t found = find_slot(t, key, length, hash);
    if (is_new)
        *is_new = found == INTERN_NONE;
    if (found != INTERN_NONE)
        return found;
    char *copy = arena_alloc(&t->arena, length + 1);
    if (length > 0)
        memcpy(copy, key, length);
    array_push(&t->entries, ((struct intern_entry){copy, length, hash}));
    uint32_t number = (uint32_t)t->entries.count - 1;
    if (2 * t->entries.count > t->slot_count)
        grow_slots(t);
    else
        place_entry(t, number);
    return number;
}

const char *intern_text(const struct intern *t, uint32_t number) {
    return t->entries.at[number].key;
}

void intern_finish(struct intern *t) {
    arena_finish(&t->arena);
    free(t->entries.at);
    free(t->slots);
    *t = (struct intern){0};
}
