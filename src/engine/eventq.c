/* The pending-event set. Invariant: slots[slot of heap[i]].place == i, and no key is below that of
   its parent. */
#include "engine/eventq.h"

#include "base/array.h"

#include <assert.h>
#include <stdlib.h>

#define ARITY 4

void eventq_finish(struct eventq *queue) {
    free(queue->heap);
    free(queue->slots);
    *queue = (struct eventq){0};
}

static uint32_t slot_of(eventq_key key) {
    return (uint32_t)key & (EVENTQ_MOST - 1);
}

static void put_key(struct eventq *queue, size_t place, eventq_key key) {
    queue->heap[place] = key;
    queue->slots[slot_of(key)].place = (uint32_t)place;
}

static void sift_up(struct eventq *queue, size_t place, eventq_key key) {
    while (place > 0) {
        size_t parent = (place - 1) / ARITY;
        if (key > queue->heap[parent])
            break;
        put_key(queue, place, queue->heap[parent]);
        place = parent;
    }
    put_key(queue, place, key);
}

/* The least of the children from `first` on, which is one. */
static size_t least_child(const struct eventq *queue, size_t first) {
    const eventq_key *heap = queue->heap;
    size_t least = first;
    if (queue->held - first >= ARITY) { /* as mostly: by pairs, without jumps */
        size_t a = first + (heap[first + 1] < heap[first]),
               b = first + 2 + (heap[first + 3] < heap[first + 2]);
        return heap[b] < heap[a] ? b : a;
    }
    for (size_t child = first + 1; child < queue->held; child++)
        least = heap[child] < heap[least] ? child : least;
    return least;
}

static void sift_down(struct eventq *queue, size_t place, eventq_key key) {
    for (size_t first; (first = place * ARITY + 1) < queue->held;) {
        size_t least = least_child(queue, first);
        if (key < queue->heap[least])
            break;
        put_key(queue, place, queue->heap[least]);
        place = least;
    }
    put_key(queue, place, key);
}

static uint32_t take_slot(struct eventq *queue) {
    if (queue->first_free != 0) {
        uint32_t id = queue->first_free - 1;
        queue->first_free = queue->slots[id].place;
        return id;
    }
    if (queue->slot_count == EVENTQ_MOST) /* as where memory runs out */
        mem_end("a run can have at most 16777216 pending events");
    if (queue->slot_count == queue->slot_capacity)
        queue->slots = array_grow(queue->slots, &queue->slot_capacity, sizeof *queue->slots);
    return (uint32_t)queue->slot_count++;
}

static eventq_key key_of(int64_t time_ns, uint64_t order, uint32_t slot) {
    return (eventq_key)time_ns * ((eventq_key)1 << 64) + (order << EVENTQ_SLOT_BITS | slot);
}

static struct event event_of(eventq_key key, uint32_t payload) {
    uint32_t kind = (uint32_t)key >> EVENTQ_SLOT_BITS & ((1u << EVENTQ_KIND_BITS) - 1);
    return (struct event){eventq_key_ns(key), kind, payload};
}

uint32_t eventq_push(struct eventq *queue, int64_t time_ns, uint64_t order, uint32_t payload) {
    uint32_t id = take_slot(queue);
    queue->slots[id].payload = payload;
    if (queue->held == queue->heap_capacity)
        queue->heap = array_grow(queue->heap, &queue->heap_capacity, sizeof *queue->heap);
    sift_up(queue, queue->held++, key_of(time_ns, order, id));
    queue->count++;
    return id;
}

void eventq_push_apart(struct eventq *queue, int64_t time_ns, uint64_t order, uint32_t payload) {
    assert(!queue->has_apart);
    queue->apart = key_of(time_ns, order, 0);
    queue->apart_payload = payload;
    queue->has_apart = true;
    queue->count++;
}

static void remove_at(struct eventq *queue, size_t place) {
    uint32_t id = slot_of(queue->heap[place]);
    eventq_key last = queue->heap[--queue->held];
    queue->count--;
    if (place < queue->held) {
        if (place > 0 && last < queue->heap[(place - 1) / ARITY])
            sift_up(queue, place, last);
        else
            sift_down(queue, place, last);
    }
    queue->slots[id].place = queue->first_free;
    queue->first_free = id + 1;
}

int64_t eventq_time_ns(const struct eventq *queue, uint32_t id) {
    return eventq_key_ns(queue->heap[queue->slots[id].place]);
}

void eventq_cancel(struct eventq *queue, uint32_t id) {
    remove_at(queue, queue->slots[id].place);
}

bool eventq_pop(struct eventq *queue, struct event *event) {
    if (queue->count == 0)
        return false;
    if (queue->has_apart && (queue->held == 0 || queue->apart < queue->heap[0])) {
        *event = event_of(queue->apart, queue->apart_payload);
        queue->has_apart = false;
        queue->count--;
        return true;
    }
    *event = event_of(queue->heap[0], queue->slots[slot_of(queue->heap[0])].payload);
    remove_at(queue, 0);
    return true;
}
