/* Interning by open addressing. Invariant: at most half of the slots are in use. Slots hold a part
   of the hash, so that a search passes over other keys without a look at their entries, which are
   anywhere in memory. */
#include "base/intern.h"

#include "base/hash.h"

#include <assert.h>
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

/* For all entries; in the order of slots, which is nearly that of the new ones. */
static void grow_slots(struct intern *table) {
    uint64_t *old = table->slots;
    size_t count = table->slot_count;
    table->slot_count = count ? 2 * count : 64;
    while (table->slot_count < 2 * table->entries.count)
        table->slot_count *= 2;
    table->slots = mem_zalloc(table->slot_count, sizeof *table->slots);
    for (size_t slot = 0; slot < count; slot++)
        if (old[slot] != 0)
            fill_slot(table, old[slot]);
    free(old);
}

void intern_expect(const struct intern *table, const void *key, size_t length) {
    if (table->slot_count > 0)
        __builtin_prefetch(&table->slots[first_slot(table, hash_key(key, length))]);
}

static bool has_key(const struct intern *table, uint32_t number, const void *key, size_t length) {
    const struct intern_entry *e = &table->entries.at[number];
    return e->length == length && (length == 0 || memcmp(e->key, key, length) == 0);
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
        if (has_key(table, number, key, length))
            return number;
    }
    return INTERN_NONE;
}

uint32_t intern_find(const struct intern *table, const void *key, size_t length) {
    assert(table->placed == table->entries.count);
    return find_slot(table, key, length, hash_key(key, length));
}

static void place_entry(struct intern *table, size_t number, uint64_t hash) {
    if (2 * table->entries.count > table->slot_count)
        grow_slots(table);
    fill_slot(table, (hash & UPPER_HALF) | (number + 1));
    table->placed = number + 1;
}

uint32_t intern(struct intern *table, const void *key, size_t length, bool *is_new) {
    for (size_t i = table->placed; i < table->entries.count; i++)
        place_entry(table, i, hash_key(table->entries.at[i].key, table->entries.at[i].length));
    uint64_t hash = hash_key(key, length);
    uint32_t found = find_slot(table, key, length, hash);
    if (is_new)
        *is_new = found == INTERN_NONE;
    if (found != INTERN_NONE)
        return found;
    char *copy = arena_alloc(&table->arena, length + 1);
    if (length > 0)
        memcpy(copy, key, length);
    array_push(&table->entries, ((struct intern_entry){copy, length}));
    uint32_t number = (uint32_t)table->entries.count - 1;
    place_entry(table, number, hash);
    return number;
}

/* A text that is known to be new. */
static uint32_t intern_new(struct intern *table, const char *text, size_t length) {
    char *copy = arena_strndup(&table->arena, text, length);
    array_push(&table->entries, ((struct intern_entry){copy, length}));
    return (uint32_t)table->entries.count - 1;
}

static bool is_behind(const struct intern_entry *greatest, const char *text, size_t length) {
    return length != greatest->length ? length > greatest->length
                                      : memcmp(text, greatest->key, length) > 0;
}

uint32_t intern_ascending(struct intern *table, const char *text, size_t length, bool *is_new) {
    bool behind =
        length > 0 && (table->behind_all == 0 ||
                       is_behind(&table->entries.at[table->behind_all - 1], text, length));
    if (!behind)
        return intern(table, text, length, is_new);
    uint32_t number = intern_new(table, text, length);
    table->behind_all = (size_t)number + 1;
    *is_new = true;
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
