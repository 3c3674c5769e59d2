/* The pending-event set: an indexed 4-ary heap in the order of one number of 128 bits (time, place
   among the events of the instant), and one event outside the heap. */
#ifndef EASIM_ENGINE_EVENTQ_H
#define EASIM_ENGINE_EVENTQ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EVENT_NONE UINT32_MAX

/* From the highest bit of a key to the lowest: time (64), rank, number, kind, slot. */
#define EVENTQ_RANK_BITS   5
#define EVENTQ_NUMBER_BITS 30
#define EVENTQ_KIND_BITS   5
#define EVENTQ_SLOT_BITS   24
#define EVENTQ_MOST        (1u << EVENTQ_SLOT_BITS) /* events that may be pending at once */

struct event {
    int64_t time_ns;
    uint32_t kind;    /* the caller's */
    uint32_t payload; /* the caller's */
};

__extension__ typedef __int128 eventq_key;

struct eventq_slot {
    uint32_t payload;
    uint32_t place; /* in the heap; of a free slot: the next free one */
};

/* Zero-initialise; release with eventq_finish. */
struct eventq {
    eventq_key *heap;
    struct eventq_slot *slots;
    size_t count, held, heap_capacity, slot_count, slot_capacity; /* count: held, and that apart */
    eventq_key apart; /* one event, while has_apart; it has no id */
    uint32_t apart_payload;
    bool has_apart;
    uint32_t first_free; /* slot id + 1; 0: none */
};

void eventq_finish(struct eventq *queue);
static inline int64_t eventq_key_ns(eventq_key key) {
    return (int64_t)(key >> 64);
}
/* The place of an event among those of its instant: the least comes first. Each within its bits. */
static inline uint64_t eventq_order(uint32_t rank, uint32_t number, uint32_t kind) {
    return ((uint64_t)rank << EVENTQ_NUMBER_BITS | number) << EVENTQ_KIND_BITS | kind;
}
/* Adds an event, unlike all others of its instant in its order. Returns its id, valid until it is
   popped or cancelled. */
uint32_t eventq_push(struct eventq *queue, int64_t time_ns, uint64_t order, uint32_t payload);
/* As eventq_push, of an event that is never cancelled, while no other is apart: the next of a
   stream in order of time, of which there is always one, costs no place in the heap. */
void eventq_push_apart(struct eventq *queue, int64_t time_ns, uint64_t order, uint32_t payload);
int64_t eventq_time_ns(const struct eventq *queue, uint32_t id); /* of a pending event */
void eventq_cancel(struct eventq *queue, uint32_t id);
/* INT64_MAX if empty */
static inline int64_t eventq_next_ns(const struct eventq *queue) {
    int64_t next_ns = queue->held > 0 ? eventq_key_ns(queue->heap[0]) : INT64_MAX;
    return queue->has_apart && eventq_key_ns(queue->apart) < next_ns ? eventq_key_ns(queue->apart)
                                                                     : next_ns;
}
/* Removes the first event; false if there is none. */
bool eventq_pop(struct eventq *queue, struct event *event);

#endif
