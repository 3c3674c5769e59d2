/* Ends of running jobs: see ends.h. Invariant: places[heap[i].job] == i + 1, and none ends before
   its parent. */
#include "policy/list/ends.h"

#include <stdlib.h>

void ends_finish(struct ends *ends) {
    free(ends->heap.at);
    *ends = (struct ends){0};
}

static void put(struct ends *ends, size_t at, struct ends_entry entry) {
    ends->heap.at[at] = entry;
    ends->places[entry.job] = (uint32_t)at + 1;
}

/* Puts an entry at a free place or above it. */
static void sift_up(struct ends *ends, size_t at, struct ends_entry entry) {
    for (size_t parent; at > 0 && entry.end_ns < ends->heap.at[parent = (at - 1) / 2].end_ns;
         at = parent)
        put(ends, at, ends->heap.at[parent]);
    put(ends, at, entry);
}

/* Or below it. */
static void sift_down(struct ends *ends, size_t at, struct ends_entry entry) {
    const struct ends_entry *heap = ends->heap.at;
    for (size_t child; (child = 2 * at + 1) < ends->heap.count; at = child) {
        if (child + 1 < ends->heap.count && heap[child + 1].end_ns < heap[child].end_ns)
            child++;
        if (heap[child].end_ns >= entry.end_ns)
            break;
        put(ends, at, heap[child]);
    }
    put(ends, at, entry);
}

void ends_add(struct ends *ends, uint32_t job, int64_t end_ns) {
    struct ends_entry entry = {end_ns, job};
    array_push(&ends->heap, entry);
    sift_up(ends, ends->heap.count - 1, entry);
}

void ends_remove(struct ends *ends, uint32_t job) {
    size_t at = ends->places[job] - 1;
    struct ends_entry last = ends->heap.at[--ends->heap.count];
    ends->places[job] = 0;
    if (at == ends->heap.count)
        return;
    if (at > 0 && last.end_ns < ends->heap.at[(at - 1) / 2].end_ns)
        sift_up(ends, at, last);
    else
        sift_down(ends, at, last);
}

int64_t ends_first_ns(const struct ends *ends) {
    return ends->heap.count > 0 ? ends->heap.at[0].end_ns : INT64_MAX;
}

static void visit_below(const struct ends *ends, size_t at, int64_t until_ns,
                        void (*visit)(uint32_t, void *), void *context) {
    if (at >= ends->heap.count || ends->heap.at[at].end_ns > until_ns)
        return;
    visit(ends->heap.at[at].job, context);
    visit_below(ends, 2 * at + 1, until_ns, visit, context);
    visit_below(ends, 2 * at + 2, until_ns, visit, context);
}

void ends_visit(const struct ends *ends, int64_t until_ns, void (*visit)(uint32_t, void *),
                void *context) {
    visit_below(ends, 0, until_ns, visit, context);
}
