/* Numbers that wait for a time: the earliest first. A number may wait for several. */
#ifndef EASIM_BASE_TIMEHEAP_H
#define EASIM_BASE_TIMEHEAP_H

#include "base/array.h"

#include <stdbool.h>
#include <stdint.h>

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
