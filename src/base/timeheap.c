/* A binary heap by time: see timeheap.h. */
#include "base/timeheap.h"

#include <stdlib.h>

static bool is_earlier_entry(const struct timeheap_entry *a, const struct timeheap_entry *b) {
    return a->time_s != b->time_s ? a->time_s < b->time_s : a->id < b->id;
}

void timeheap_finish(struct timeheap *heap) {
    free(heap->entries.at);
    *heap = (struct timeheap){0};
}

void timeheap_push(struct timeheap *heap, double time_s, uint32_t id) {
    struct timeheap_entry entry = {time_s, id};
    array_push(&heap->entries, entry);
    struct timeheap_entry *at = heap->entries.at;
    size_t i = heap->entries.count - 1;
    for (; i > 0 && is_earlier_entry(&entry, &at[(i - 1) / 2]); i = (i - 1) / 2)
        at[i] = at[(i - 1) / 2];
    at[i] = entry;
}

bool timeheap_pop_due(struct timeheap *heap, double now_s, uint32_t *ret_id) {
    struct timeheap_entry *at = heap->entries.at;
    if (heap->entries.count == 0 || at[0].time_s > now_s)
        return false;
    *ret_id = at[0].id;
    size_t count = --heap->entries.count, i = 0;
    struct timeheap_entry moving = at[count];
    for (size_t child; (child = 2 * i + 1) < count; i = child) {
        if (child + 1 < count && is_earlier_entry(&at[child + 1], &at[child]))
            child++;
        if (!is_earlier_entry(&at[child], &moving))
            break;
        at[i] = at[child];
    }
    at[i] = moving;
    return true;
}
