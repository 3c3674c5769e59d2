/* Counts by reason: see tally.h. Reasons are few, so they are found by looking at all of them. */
#include "base/tally.h"

#include <stdlib.h>

static struct tally_entry *find_entry(const struct tally *tally, const char *reason) {
    size_t i = 0;
    while (i < tally->entries.count && strcmp(tally->entries.at[i].reason, reason) != 0)
        i++;
    return i < tally->entries.count ? &tally->entries.at[i] : NULL;
}

void tally_add(struct tally *tally, const char *reason, uint64_t count) {
    struct tally_entry *entry = count > 0 ? find_entry(tally, reason) : NULL;
    if (entry)
        entry->count += count;
    else if (count > 0)
        array_push(&tally->entries, ((struct tally_entry){mem_strdup(reason), count, {0}, 0}));
}

void tally_name(struct tally *tally, const char *reason, const char *name) {
    struct tally_entry *entry = find_entry(tally, reason);
    if (!entry || !name || entry->named > TALLY_NAMES)
        return;
    for (uint32_t i = 0; i < entry->named; i++)
        if (strcmp(entry->names[i], name) == 0)
            return;
    if (entry->named < TALLY_NAMES)
        entry->names[entry->named] = mem_strdup(name);
    entry->named++;
}

void tally_add_all(struct tally *tally, const struct tally *other) {
    for (size_t i = 0; i < other->entries.count; i++) {
        const struct tally_entry *from = &other->entries.at[i];
        tally_add(tally, from->reason, from->count);
        for (uint32_t n = 0; n < from->named && n < TALLY_NAMES; n++)
            tally_name(tally, from->reason, from->names[n]);
        struct tally_entry *to = find_entry(tally, from->reason);
        if (to && from->named > TALLY_NAMES)
            to->named = TALLY_NAMES + 1;
    }
}

void tally_write_names(const struct tally_entry *entry, struct str *out) {
    for (uint32_t i = 0; i < entry->named && i < TALLY_NAMES; i++) {
        str_add(out, i == 0 ? "" : ", ");
        str_add_visible(out, entry->names[i]);
    }
    if (entry->named > TALLY_NAMES)
        str_add(out, " ...");
}

void tally_finish(struct tally *tally) {
    for (size_t i = 0; i < tally->entries.count; i++) {
        for (uint32_t n = 0; n < tally->entries.at[i].named && n < TALLY_NAMES; n++)
            free(tally->entries.at[i].names[n]);
        free(tally->entries.at[i].reason);
    }
    free(tally->entries.at);
    *tally = (struct tally){0};
}

void row_tally_add(struct row_tally *tally, uint32_t line) {
    if (tally->count++ == 0 || line < tally->first_line)
        tally->first_line = line;
}
