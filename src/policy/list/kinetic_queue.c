/* The order of waiting jobs by a key that changes: see kinetic_queue.h. */
#include "policy/list/kinetic_queue.h"

#include "base/timeheap.h"

#include <math.h>
#include <stdlib.h>

/* --- queue --- */
/* Invariant: a node whose until_s is after now_s has the winner that a comparison of all doubles
   below it would give. */

/* Two values may compare either way as doubles if they are closer than this share of themselves. It
   is far more than the few roundings of queue_value and of the crossing time, and far less than
   what matters. */
#define MARGIN 1e-12

void queue_finish(struct queue *queue) {
    free(queue->entries);
    free(queue->nodes);
    *queue = (struct queue){0};
}

static double ageing_at(const struct queue *queue, const struct queue_entry *e, double now_s) {
    return 1 + (now_s - e->submit_s) / queue->ageing_s;
}

static double ageing_of(const struct queue *queue, const struct queue_entry *e) {
    return ageing_at(queue, e, queue->now_s);
}

static double value_at(const struct queue *queue, const struct queue_entry *e, double now_s) {
    return (queue->ageing_s > 0 ? e->value / ageing_at(queue, e, now_s) : e->value) * queue->factor;
}

static double value_of(const struct queue *queue, const struct queue_entry *e) {
    return value_at(queue, e, queue->now_s);
}

double queue_value(const struct queue *queue, uint32_t slot) {
    return value_of(queue, &queue->entries[slot]);
}

bool queue_foresee(const struct queue *queue, double now_s, double *ret_value) {
    const struct queue_node *root = &queue->nodes[1];
    *ret_value = value_at(queue, &queue->entries[root->winner], now_s);
    return root->until_s > now_s;
}

static bool entry_before(const struct queue *queue, const struct queue_entry *a,
                         const struct queue_entry *b) {
    double x = value_of(queue, a), y = value_of(queue, b);
    return x != y ? x < y : a->job < b->job;
}

/* Until when first, which is before second now, certainly stays so; -INFINITY: it may be otherwise
   at any later time or with another factor.
   1. The older job, of no larger value, stays first for ever: it has aged no less, division, sum
      and product round monotonically, and ties go to the older.
   2. Without ageing values only change by a common factor. That cannot turn their order if they
      differ by more than MARGIN; if they do not, nothing is certain.
   3. With ageing first leads by ahead = second.value * A_first - bar * A_second, where A is the
      ageing and bar is first.value with the margin. A lead <= 0 is too small to be certain. Both
      A grow by 1 in ageing_s, so the lead grows by second.value - bar. If that is not negative,
      and it is not if the leader is the younger one (A_first <= A_second), the lead lasts for
      ever; else until it has shrunk to 0. */
static double certain_until_s(const struct queue *queue, const struct queue_entry *first,
                              const struct queue_entry *second) {
    if (first->value <= second->value && first->job < second->job)
        return INFINITY;
    if (queue->ageing_s == 0)
        return second->value - first->value > MARGIN * fmax(fabs(first->value), fabs(second->value))
                   ? INFINITY
                   : -INFINITY;
    double bar = first->value * (1 + MARGIN);
    double ahead = second->value * ageing_of(queue, first) - bar * ageing_of(queue, second);
    if (!(ahead > 0))
        return -INFINITY;
    if (first->job > second->job || second->value >= bar)
        return INFINITY;
    return queue->now_s + queue->ageing_s * (ahead / (bar - second->value));
}

static struct queue_node node_at(const struct queue *queue, uint32_t i) {
    if (i < queue->capacity)
        return queue->nodes[i];
    uint32_t slot = i - queue->capacity;
    return (struct queue_node){INFINITY,
                               queue->entries[slot].job == QUEUE_NONE ? QUEUE_NONE : slot};
}

static void play_match(struct queue *queue, uint32_t i) {
    struct queue_node a = node_at(queue, 2 * i), b = node_at(queue, 2 * i + 1);
    double until_s = fmin(a.until_s, b.until_s);
    if (a.winner == QUEUE_NONE || b.winner == QUEUE_NONE) {
        queue->nodes[i] =
            (struct queue_node){until_s, a.winner == QUEUE_NONE ? b.winner : a.winner};
        return;
    }
    const struct queue_entry *x = &queue->entries[a.winner], *y = &queue->entries[b.winner];
    bool left = entry_before(queue, x, y);
    queue->nodes[i] = (struct queue_node){
        fmin(until_s, left ? certain_until_s(queue, x, y) : certain_until_s(queue, y, x)),
        left ? a.winner : b.winner};
}

static void advance_matches_below(struct queue *queue, uint32_t i) {
    if (i >= queue->capacity || queue->nodes[i].until_s > queue->now_s)
        return;
    advance_matches_below(queue, 2 * i);
    advance_matches_below(queue, 2 * i + 1);
    play_match(queue, i);
}

void queue_advance(struct queue *queue, double now_s, double factor) {
    if (now_s == queue->now_s && factor == queue->factor)
        return;
    queue->now_s = now_s;
    queue->factor = factor;
    if (queue->count > 0)
        advance_matches_below(queue, 1);
}

/* No node is certain for longer than those below it. */
static void end_earlier_above(struct queue *queue, uint32_t i) {
    for (; i > 1 && queue->nodes[i].until_s < queue->nodes[i / 2].until_s; i /= 2)
        queue->nodes[i / 2].until_s = queue->nodes[i].until_s;
}

/* A job has come into a slot. Where the winner stays no match above is another one. */
static void play_matches_of_new(struct queue *queue, uint32_t slot) {
    uint32_t i = (queue->capacity + slot) / 2;
    for (; i > 0; i /= 2) {
        uint32_t before = queue->nodes[i].winner;
        play_match(queue, i);
        if (queue->nodes[i].winner == before)
            break;
    }
    end_earlier_above(queue, i);
}

/* A job has left a slot. Who won against it stays certain: it was before all that may win below
   now, for as long as it was certain to be before who has left. */
static void play_matches_of_gone(struct queue *queue, uint32_t slot) {
    uint32_t i = queue->capacity + slot;
    for (; i > 1 && queue->nodes[i / 2].winner == slot; i /= 2)
        play_match(queue, i / 2);
    if (i < queue->capacity)
        end_earlier_above(queue, i);
}

static void add_slots(struct queue *queue) {
    queue->capacity = queue->capacity ? 2 * queue->capacity : 4;
    queue->entries = mem_realloc(queue->entries, queue->capacity, sizeof *queue->entries);
    queue->nodes = mem_realloc(queue->nodes, queue->capacity, sizeof *queue->nodes);
    for (uint32_t slot = queue->used; slot < queue->capacity; slot++)
        queue->entries[slot].job = QUEUE_NONE;
    for (uint32_t i = queue->capacity; --i > 0;)
        play_match(queue, i);
}

static uint32_t take_slot(struct queue *queue) {
    if (queue->first_empty == 0) {
        if (queue->used == queue->capacity)
            add_slots(queue);
        return queue->used++;
    }
    uint32_t slot = queue->first_empty - 1;
    queue->first_empty = queue->entries[slot].next_empty;
    return slot;
}

uint32_t queue_add(struct queue *queue, uint32_t job, double value, double submit_s) {
    uint32_t slot = take_slot(queue);
    queue->entries[slot] = (struct queue_entry){value, submit_s, job, 0};
    queue->count++;
    play_matches_of_new(queue, slot);
    return slot;
}

void queue_remove(struct queue *queue, uint32_t slot) {
    queue->entries[slot].job = QUEUE_NONE;
    queue->entries[slot].next_empty = queue->first_empty;
    queue->first_empty = slot + 1;
    queue->count--;
    play_matches_of_gone(queue, slot);
}

uint32_t queue_first(const struct queue *queue) {
    return queue->count > 0 ? queue->nodes[1].winner : QUEUE_NONE;
}

/* --- user heap --- */
/* Invariant: no member is before the one above it in the heap. */

static bool goes_before(const struct user_queue *a, const struct user_queue *b) {
    return a->value != b->value ? a->value < b->value : a->job < b->job;
}

static void set_place(struct user_heap *users, struct user_queue *members, uint32_t place,
                      uint32_t member) {
    users->heap.at[place] = member;
    members[member].place = place;
}

#define BEFORE(a, b)       goes_before(&members[a], &members[b])
#define PUT(place, member) set_place(users, members, (uint32_t)(place), member)

static void sift(struct user_heap *users, struct user_queue *members, uint32_t member) {
    HEAP_UP(users->heap.at, members[member].place, member, BEFORE, PUT);
    HEAP_DOWN(users->heap.at, users->heap.count, members[member].place, member, BEFORE, PUT);
}

static void leave_heap(struct user_heap *users, struct user_queue *members, uint32_t member) {
    uint32_t last = users->heap.at[--users->heap.count];
    if (last == member)
        return;
    set_place(users, members, members[member].place, last);
    sift(users, members, last);
}

void user_heap_sort_in(struct user_heap *users, struct user_queue *members, uint32_t member,
                       bool is_new) {
    struct user_queue *m = &members[member];
    if (m->jobs.count == 0) {
        leave_heap(users, members, member);
        return;
    }
    uint32_t slot = queue_first(&m->jobs);
    m->value = queue_value(&m->jobs, slot);
    m->job = m->jobs.entries[slot].job;
    if (is_new) {
        m->place = (uint32_t)users->heap.count;
        array_push(&users->heap, member);
    }
    sift(users, members, member);
}
