/* The pending-event set. Invariant: slots[heap[i].id].place == i, and no entry comes before its
 * parent. */
#include "engine/eventq.h"

#include "base/array.h"

#include <assert.h>
#include <stdlib.h>

#define ARITY          4
#define MOST_LEVELS    17 /* below the root, of a heap with 2^32 entries */
#define BITS_PER_LEVEL 3

void eventq_finish(struct eventq *queue) {
    free(queue->heap);
    free(queue->slots);
    *queue = (struct eventq){0};
}

static bool comes_before(const struct eventq_entry *a, const struct eventq_entry *b) {
    return a->time_ns != b->time_ns ? a->time_ns < b->time_ns : a->order < b->order;
}

static void put_entry(struct eventq *queue, size_t place, struct eventq_entry entry) {
    queue->heap[place] = entry;
    queue->slots[entry.id].place = (uint32_t)place;
}

static void sift_up(struct eventq *queue, size_t place, struct eventq_entry entry) {
    while (place > 0) {
        size_t parent = (place - 1) / ARITY;
        if (!comes_before(&entry, &queue->heap[parent]))
            break;
        put_entry(queue, place, queue->heap[parent]);
        place = parent;
    }
    put_entry(queue, place, entry);
}

static void sift_down(struct eventq *queue, size_t place, struct eventq_entry entry) {
    for (;;) {
        size_t first = place * ARITY + 1, least = first;
        if (first >= queue->held)
            break;
        for (size_t child = first + 1; child < first + ARITY && child < queue->held; child++)
            if (comes_before(&queue->heap[child], &queue->heap[least]))
                least = child;
        if (!comes_before(&queue->heap[least], &entry))
            break;
        put_entry(queue, place, queue->heap[least]);
        place = least;
    }
    put_entry(queue, place, entry);
}

static uint32_t take_slot(struct eventq *queue) {
    if (queue->first_free != 0) {
        uint32_t id = queue->first_free - 1;
        queue->first_free = queue->slots[id].place;
        return id;
    }
    if (queue->slot_count == queue->slot_capacity)
        queue->slots = array_grow(queue->slots, &queue->slot_capacity, sizeof *queue->slots);
    return (uint32_t)queue->slot_count++;
}

static uint64_t next_order(struct eventq *queue, uint32_t rank) {
    return (uint64_t)rank << 56 | queue->created++;
}

uint32_t eventq_push(struct eventq *queue, int64_t time_ns, uint32_t rank, uint32_t kind,
                     uint32_t payload) {
    uint32_t id = take_slot(queue);
    queue->slots[id] = (struct eventq_slot){.kind = kind, .payload = payload};
    if (queue->held == queue->heap_capacity)
        queue->heap = array_grow(queue->heap, &queue->heap_capacity, sizeof *queue->heap);
    struct eventq_entry entry = {time_ns, next_order(queue, rank), id};
    sift_up(queue, queue->held++, entry);
    queue->count++;
    return id;
}

void eventq_push_apart(struct eventq *queue, int64_t time_ns, uint32_t rank, uint32_t kind,
                       uint32_t payload) {
    assert(!queue->has_apart);
    queue->apart = (struct eventq_entry){.time_ns = time_ns, .order = next_order(queue, rank)};
    queue->apart_event = (struct event){time_ns, kind, payload};
    queue->has_apart = true;
    queue->count++;
}

static void remove_at(struct eventq *queue, size_t place) {
    uint32_t id = queue->heap[place].id;
    struct eventq_entry last = queue->heap[--queue->held];
    queue->count--;
    if (place < queue->held) {
        if (place > 0 && comes_before(&last, &queue->heap[(place - 1) / ARITY]))
            sift_up(queue, place, last);
        else
            sift_down(queue, place, last);
    }
    queue->slots[id].place = queue->first_free;
    queue->first_free = id + 1;
}

int64_t eventq_time_ns(const struct eventq *queue, uint32_t id) {
    return queue->heap[queue->slots[id].place].time_ns;
}

void eventq_cancel(struct eventq *queue, uint32_t id) {
    remove_at(queue, queue->slots[id].place);
}

static struct event event_at(const struct eventq *queue, size_t place) {
    const struct eventq_entry *entry = &queue->heap[place];
    return (struct event){entry->time_ns, queue->slots[entry->id].kind,
                          queue->slots[entry->id].payload};
}

struct event eventq_event(const struct eventq *queue, uint32_t id) {
    return event_at(queue, queue->slots[id].place);
}

bool eventq_pop(struct eventq *queue, struct event *event) {
    if (queue->count == 0)
        return false;
    if (queue->has_apart && (queue->held == 0 || comes_before(&queue->apart, &queue->heap[0]))) {
        *event = queue->apart_event;
        queue->has_apart = false;
        queue->count--;
        return true;
    }
    *event = event_at(queue, 0);
    remove_at(queue, 0);
    return true;
}

/* Events of the first instant form a connected part of the heap at its root. */
static void visit_below(const struct eventq *queue, size_t place,
                        void (*visit)(const struct event *, void *), void *context) {
    if (place >= queue->held || queue->heap[place].time_ns != queue->heap[0].time_ns)
        return;
    struct event event = event_at(queue, place);
    visit(&event, context);
    for (size_t child = place * ARITY + 1; child <= place * ARITY + ARITY; child++)
        visit_below(queue, child, visit, context);
}

void eventq_visit_first_instant(const struct eventq *queue,
                                void (*visit)(const struct event *, void *), void *context) {
    visit_below(queue, 0, visit, context);
}

/* Which child leads from each entry on the way to the next, the root first: an entry comes before
   those below it, and those below it before those below the next child. */
uint64_t eventq_visit_order(const struct eventq *queue, uint32_t id) {
    uint64_t way = 0;
    for (size_t place = queue->slots[id].place; place > 0; place = (place - 1) / ARITY)
        way = way >> BITS_PER_LEVEL | (uint64_t)((place - 1) % ARITY + 1)
                                          << (MOST_LEVELS - 1) * BITS_PER_LEVEL;
    return way;
}
