/* Numbers that wait for a time: the earliest first. A number may wait for several. */
#ifndef EASIM_BASE_TIMEHEAP_H
#define EASIM_BASE_TIMEHEAP_H

#include "base/array.h"

#include <stdbool.h>
#include <stdint.h>

/* The binary heap: what moves goes from `at` up, or down, to its place in an array. before(a, b) of
   two elements is true if a is nearer to the top; put(place, element) writes one. */
#define HEAP_UP(heap, at, moving, before, put) \
    do { \
        size_t place = (at), parent; \
        for (; place > 0 && before(moving, (heap)[parent = (place - 1) / 2]); place = parent) \
            put(place, (heap)[parent]); \
        put(place, moving); \
    } while (0)

#define HEAP_DOWN(heap, count, at, moving, before, put) \
    do { \
        size_t place = (at), child; \
        for (; (child = 2 * place + 1) < (count); place = child) { \
            if (child + 1 < (count) && before((heap)[child + 1], (heap)[child])) \
                child++; \
            if (!before((heap)[child], moving)) \
                break; \
            put(place, (heap)[child]); \
        } \
        put(place, moving); \
    } while (0)

struct timeheap_entry {
    double time_s;
    uint32_t id;
};

/* Zero-initialise. */
struct timeheap {
    ARRAY_OF(struct timeheap_entry) entries;
};

void timeheap_finish(struct timeheap *heap);
void timeheap_push(struct timeheap *heap, double time_s, uint32_t id);
/* Takes out the earliest entry if its time is at most now_s; false if none. Equal times come by
   id. */
bool timeheap_pop_due(struct timeheap *heap, double now_s, uint32_t *ret_id);

#endif
