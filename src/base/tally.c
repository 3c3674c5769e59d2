/* Counts by reason: see tally.h. Reasons are few, so they are found by looking at all of them. */
#include "base/tally.h"

#include <stdlib.h>

void tally_add(struct tally *t, const char *reason, uint64_t count) {
    if (count == 0)
        return;
    for (size_t i = 0; i < t->entries.count; i++)
        if (strcmp(t->entries.at[i].reason, reason) == 0) {
            t->entries.at[i].count += count;
            return;
        }
    array_push(&t->entries, ((struct tally_entry){mem_strdup(reason), count}));
}

void tally_add_all(struct tally *t, const struct tally *other) {
    for (size_t i = 0; i < other->entries.count; i++)
        tally_add(t, other->entries.at[i].reason, other->entries.at[i].count);
}

void tally_finish(struct tally *t) {
    for (size_t i = 0; i < t->entries.count; i++)
        free(t->entries.at[i].reason);
    free(t->entries.at);
    *t = (struct tally){0};
}
