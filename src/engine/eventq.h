/* The pending-event set: an indexed 4-ary heap in the total order (time, rank of the class, number
   of creation), and one event beside it. */
#ifndef EASIM_ENGINE_EVENTQ_H
#define EASIM_ENGINE_EVENTQ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EVENT_NONE UINT32_MAX

struct event {
    int64_t time_ns;
    uint32_t kind;    /* the caller's */
    uint32_t payload; /* the caller's */
};

struct eventq_entry {
    int64_t time_ns;
    uint64_t order; /* rank << 56 | number of creation */
    uint32_t id;
};

struct eventq_slot {
    uint32_t kind, payload;
    uint32_t place; /* in the heap; of a free slot: the next free one */
};

/* Zero-initialise; release with eventq_finish. */
struct eventq {
    struct eventq_entry *heap;
    struct eventq_slot *slots;
    size_t count, held, heap_capacity, slot_count, slot_capacity; /* count: held, and that apart */
    struct eventq_entry apart; /* one event, while has_apart; it has no id */
    struct event apart_event;
    bool has_apart;
    uint32_t first_free; /* slot id + 1; 0: none */
    uint64_t created;
};

void eventq_finish(struct eventq *queue);
/* Adds an event; rank 0..255 orders events of one instant. Returns its id, valid until it is popped
 * or cancelled.
 */
uint32_t eventq_push(struct eventq *queue, int64_t time_ns, uint32_t rank, uint32_t kind,
                     uint32_t payload);
/* As eventq_push, of an event that is never cancelled, while no other is apart: the next of a
   stream in order of time, of which there is always one, costs no place in the heap. */
void eventq_push_apart(struct eventq *queue, int64_t time_ns, uint32_t rank, uint32_t kind,
                       uint32_t payload);
int64_t eventq_time_ns(const struct eventq *queue, uint32_t id);    /* of a pending event */
struct event eventq_event(const struct eventq *queue, uint32_t id); /* likewise */
void eventq_cancel(struct eventq *queue, uint32_t id);
/* INT64_MAX if empty */
static inline int64_t eventq_next_ns(const struct eventq *queue) {
    int64_t next_ns = queue->held > 0 ? queue->heap[0].time_ns : INT64_MAX;
    return queue->has_apart && queue->apart.time_ns < next_ns ? queue->apart.time_ns : next_ns;
}
/* Removes the first event; false if there is none. */
bool eventq_pop(struct eventq *queue, struct event *event);
/* Calls visit for every event at the time of the first one, in a reproducible order; visit may not
   change the queue. None is apart. */
void eventq_visit_first_instant(const struct eventq *queue,
                                void (*visit)(const struct event *, void *), void *context);
/* A pending event at the time of the first one: the visits are in the order of these numbers. */
uint64_t eventq_visit_order(const struct eventq *queue, uint32_t id);

#endif
