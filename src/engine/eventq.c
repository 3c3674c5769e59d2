/* The pending-event set. Invariant: slots[heap[i].id].place == i, and no entry comes before its
 * parent. */
#include "engine/eventq.h"

#include "base/array.h"

#include <stdlib.h>

#define ARITY 4

void eventq_finish(struct eventq *q) {
    free(q->heap);
    free(q->slots);
    *q = (struct eventq){0};
}

static bool before(const struct eventq_entry *a, const struct eventq_entry *b) {
    return a->time_ns != b->time_ns ? a->time_ns < b->time_ns : a->order < b->order;
}

static void put(struct eventq *q, size_t place, struct eventq_entry entry) {
    q->heap[place] = entry;
    q->slots[entry.id].place = (uint32_t)place;
}

static void sift_up(struct eventq *q, size_t place, struct eventq_entry entry) {
    while (place > 0) {
        size_t parent = (place - 1) / ARITY;
        if (!before(&entry, &q->heap[parent]))
            break;
        put(q, place, q->heap[parent]);
        place = parent;
    }
    put(q, place, entry);
}

static void sift_down(struct eventq *q, size_t place, struct eventq_entry entry) {
    for (;;) {
        size_t first = place * ARITY + 1, least = first;
        if (first >= q->count)
            break;
        for (size_t child = first + 1; child < first + ARITY && child < q->count; child++)
            if (before(&q->heap[child], &q->heap[least]))
                least = child;
        if (!before(&q->heap[least], &entry))
            break;
        put(q, place, q->heap[least]);
        place = least;
    }
    put(q, place, entry);
}

static uint32_t take_slot(struct eventq *q) {
    if (q->first_free != 0) {
        uint32_t id = q->first_free - 1;
        q->first_free = q->slots[id].place;
        return id;
    }
    if (q->slot_count == q->slot_capacity)
        q->slots = array_grow(q->slots, &q->slot_capacity, sizeof *q->slots);
    return (uint32_t)q->slot_count++;
}

uint32_t eventq_push(struct eventq *q, int64_t time_ns, uint32_t rank, uint32_t kind,
                     uint32_t payload) {
    uint32_t id = take_slot(q);
    q->slots[id] = (struct eventq_slot){.kind = kind, .payload = payload};
    if (q->count == q->heap_capacity)
        q->heap = array_grow(q->heap, &q->heap_capacity, sizeof *q->heap);
    struct eventq_entry entry = {time_ns, (uint64_t)rank << 56 | q->created++, id};
    sift_up(q, q->count++, entry);
    return id;
}

static void remove_at(struct eventq *q, size_t place) {
    uint32_t id = q->heap[place].id;
    struct eventq_entry last = q->heap[--q->count];
    if (place < q->count) {
        if (place > 0 && before(&last, &q->heap[(place - 1) / ARITY]))
            sift_up(q, place, last);
        else
            sift_down(q, place, last);
    }
    q->slots[id].place = q->first_free;
    q->first_free = id + 1;
}

int64_t eventq_time_ns(const struct eventq *q, uint32_t id) {
    return q->heap[q->slots[id].place].time_ns;
}

void eventq_cancel(struct eventq *q, uint32_t id) {
    remove_at(q, q->slots[id].place);
}

int64_t eventq_next_ns(const struct eventq *q) {
    return q->count > 0 ? q->heap[0].time_ns : INT64_MAX;
}

static struct event event_at(const struct eventq *q, size_t place) {
    const struct eventq_entry *entry = &q->heap[place];
    return (struct event){entry->time_ns, q->slots[entry->id].kind, q->slots[entry->id].payload};
}

bool eventq_pop(struct eventq *q, struct event *event) {
    if (q->count == 0)
        return false;
    *event = event_at(q, 0);
    remove_at(q, 0);
    return true;
}

/* Events of the first instant form a connected part of the heap at its root. */
static void visit_below(const struct eventq *q, size_t place,
                        void (*visit)(const struct event *, void *), void *context) {
    if (place >= q->count || q->heap[place].time_ns != q->heap[0].time_ns)
        return;
    struct event event = event_at(q, place);
    visit(&event, context);
    for (size_t child = place * ARITY + 1; child <= place * ARITY + ARITY; child++)
        visit_below(q, child, visit, context);
}

void eventq_visit_first_instant(const struct eventq *q, void (*visit)(const struct event *, void *),
                                void *context) {
    visit_below(q, 0, visit, context);
}
