/* A binary heap by time: see timeheap.h. */
#include "base/timeheap.h"

#include <stdlib.h>

#define EARLIER(a, b) ((a).time_s != (b).time_s ? (a).time_s < (b).time_s : (a).id < (b).id)
#define PUT(i, entry) at[i] = (entry)

void timeheap_finish(struct timeheap *heap) {
    free(heap->entries.at);
    *heap = (struct timeheap){0};
}

void timeheap_push(struct timeheap *heap, double time_s, uint32_t id) {
    struct timeheap_entry entry = {time_s, id};
    array_push(&heap->entries, entry);
    struct timeheap_entry *at = heap->entries.at;
    HEAP_UP(at, heap->entries.count - 1, entry, EARLIER, PUT);
}

bool timeheap_pop_due(struct timeheap *heap, double now_s, uint32_t *ret_id) {
    struct timeheap_entry *at = heap->entries.at;
    if (heap->entries.count == 0 || at[0].time_s > now_s)
        return false;
    *ret_id = at[0].id;
    size_t count = --heap->entries.count;
    struct timeheap_entry moving = at[count];
    HEAP_DOWN(at, count, 0, moving, EARLIER, PUT);
    return true;
}
