/* The kinetic tournament: see queue.h. Invariant: a node whose until_s lies after now_s has the
   winner that a comparison of all doubles below it would give. */
#include "policy/list/queue.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* Two values may compare either way as doubles if they are closer than this share of themselves. It
   is far more than the few roundings of queue_value and of the crossing time, and far less than
   what matters. */
#define MARGIN 1e-12

void queue_finish(struct queue *q) {
    free(q->entries);
    free(q->nodes);
    *q = (struct queue){0};
}

static double ageing(const struct queue *q, const struct queue_entry *e) {
    return 1 + (q->now_s - e->submit_s) / q->ageing_s;
}

static double value_of(const struct queue *q, const struct queue_entry *e) {
    return (q->ageing_s > 0 ? e->value / ageing(q, e) : e->value) * q->factor;
}

double queue_value(const struct queue *q, uint32_t slot) {
    return value_of(q, &q->entries[slot]);
}

static bool before(const struct queue *q, const struct queue_entry *a,
                   const struct queue_entry *b) {
    double x = value_of(q, a), y = value_of(q, b);
    return x != y ? x < y : a->job < b->job;
}

/* Until when first, which is before second now, certainly stays so. -INFINITY: it may be otherwise
   at any later time or with another factor. Division, sum and product round monotonically, so an
   older job of no larger value is never overtaken. A younger one only gains on an older one as the
   ages grow alike. Else, with A the ageing now, x time in units of ageing_s and the margin in
   `bar`, the older job of larger value falls behind where second.value
   * (A_first + x) = bar * (A_second + x). */
static double certain_until_s(const struct queue *q, const struct queue_entry *first,
                              const struct queue_entry *second) {
    if (first->value <= second->value && first->job < second->job)
        return INFINITY;
    if (q->ageing_s == 0)
        return second->value - first->value > MARGIN * fmax(fabs(first->value), fabs(second->value))
                   ? INFINITY
                   : -INFINITY;
    double bar = first->value * (1 + MARGIN);
    double ahead = second->value * ageing(q, first) - bar * ageing(q, second);
    if (!(ahead > 0))
        return -INFINITY;
    if (first->job > second->job || second->value >= bar)
        return INFINITY;
    return q->now_s + q->ageing_s * (ahead / (bar - second->value));
}

static struct queue_node node_at(const struct queue *q, uint32_t i) {
    if (i < q->capacity)
        return q->nodes[i];
    uint32_t slot = i - q->capacity;
    return (struct queue_node){INFINITY, q->entries[slot].job == QUEUE_NONE ? QUEUE_NONE : slot};
}

static void play(struct queue *q, uint32_t i) {
    struct queue_node a = node_at(q, 2 * i), b = node_at(q, 2 * i + 1);
    double until_s = fmin(a.until_s, b.until_s);
    if (a.winner == QUEUE_NONE || b.winner == QUEUE_NONE) {
        q->nodes[i] = (struct queue_node){until_s, a.winner == QUEUE_NONE ? b.winner : a.winner};
        return;
    }
    const struct queue_entry *x = &q->entries[a.winner], *y = &q->entries[b.winner];
    bool left = before(q, x, y);
    q->nodes[i] = (struct queue_node){
        fmin(until_s, left ? certain_until_s(q, x, y) : certain_until_s(q, y, x)),
        left ? a.winner : b.winner};
}

static void advance_below(struct queue *q, uint32_t i) {
    if (i >= q->capacity || q->nodes[i].until_s > q->now_s)
        return;
    advance_below(q, 2 * i);
    advance_below(q, 2 * i + 1);
    play(q, i);
}

void queue_advance(struct queue *q, double now_s, double factor) {
    if (now_s == q->now_s && factor == q->factor)
        return;
    q->now_s = now_s;
    q->factor = factor;
    if (q->count > 0)
        advance_below(q, 1);
}

static void play_above(struct queue *q, uint32_t slot) {
    for (uint32_t i = (q->capacity + slot) / 2; i > 0; i /= 2)
        play(q, i);
}

static void grow(struct queue *q) {
    q->capacity = q->capacity ? 2 * q->capacity : 4;
    q->entries = mem_realloc(q->entries, q->capacity, sizeof *q->entries);
    q->nodes = mem_realloc(q->nodes, q->capacity, sizeof *q->nodes);
    for (uint32_t slot = q->used; slot < q->capacity; slot++)
        q->entries[slot].job = QUEUE_NONE;
    for (uint32_t i = q->capacity; --i > 0;)
        play(q, i);
}

static uint32_t take_slot(struct queue *q) {
    if (q->first_empty == 0) {
        if (q->used == q->capacity)
            grow(q);
        return q->used++;
    }
    uint32_t slot = q->first_empty - 1;
    q->first_empty = q->entries[slot].next_empty;
    return slot;
}

uint32_t queue_add(struct queue *q, uint32_t job, double value, double submit_s) {
    uint32_t slot = take_slot(q);
    q->entries[slot] = (struct queue_entry){value, submit_s, job, 0};
    q->count++;
    play_above(q, slot);
    return slot;
}

void queue_remove(struct queue *q, uint32_t slot) {
    q->entries[slot].job = QUEUE_NONE;
    q->entries[slot].next_empty = q->first_empty;
    q->first_empty = slot + 1;
    q->count--;
    play_above(q, slot);
}

uint32_t queue_first(const struct queue *q) {
    return q->count > 0 ? q->nodes[1].winner : QUEUE_NONE;
}
