/* Counts by reason: see tally.h. Reasons are few, so they are found by looking at all of them. */
#include "base/tally.h"

#include <stdlib.h>

void tally_add(struct tally *tally, const char *reason, uint64_t count) {
    if (count == 0)
        return;
    for (size_t i = 0; i < tally->entries.count; i++)
        if (strcmp(tally->entries.at[i].reason, reason) == 0) {
            tally->entries.at[i].count += count;
            return;
        }
    array_push(&tally->entries, ((struct tally_entry){mem_strdup(reason), count}));
}

void tally_add_all(struct tally *tally, const struct tally *other) {
    for (size_t i = 0; i < other->entries.count; i++)
        tally_add(tally, other->entries.at[i].reason, other->entries.at[i].count);
}

void tally_finish(struct tally *tally) {
    for (size_t i = 0; i < tally->entries.count; i++)
        free(tally->entries.at[i].reason);
    free(tally->entries.at);
    *tally = (struct tally){0};
}

void row_tally_add(struct row_tally *tally, uint32_t line) {
    if (tally->count++ == 0 || line < tally->first_line)
        tally->first_line = line;
}
