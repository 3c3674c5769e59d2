/* Users by the first of their jobs: see crowd.h. Invariant: no member is before the one above it in
 * the heap. */
#include "policy/list/crowd.h"

static bool goes_before(const struct crowd_member *a, const struct crowd_member *b) {
    return a->value != b->value ? a->value < b->value : a->job < b->job;
}

static void set_place(struct crowd *crowd, struct crowd_member *members, uint32_t place,
                      uint32_t member) {
    crowd->heap.at[place] = member;
    members[member].place = place;
}

static void sift_up(struct crowd *crowd, struct crowd_member *members, uint32_t member) {
    uint32_t at = members[member].place;
    for (; at > 0 && goes_before(&members[member], &members[crowd->heap.at[(at - 1) / 2]]);
         at = (at - 1) / 2)
        set_place(crowd, members, at, crowd->heap.at[(at - 1) / 2]);
    set_place(crowd, members, at, member);
}

static void sift_down(struct crowd *crowd, struct crowd_member *members, uint32_t member) {
    const uint32_t *heap = crowd->heap.at;
    uint32_t at = members[member].place, count = (uint32_t)crowd->heap.count;
    for (uint32_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && goes_before(&members[heap[child + 1]], &members[heap[child]]))
            child++;
        if (!goes_before(&members[heap[child]], &members[member]))
            break;
        set_place(crowd, members, at, heap[child]);
    }
    set_place(crowd, members, at, member);
}

static void leave_heap(struct crowd *crowd, struct crowd_member *members, uint32_t member) {
    uint32_t last = crowd->heap.at[--crowd->heap.count];
    if (last == member)
        return;
    set_place(crowd, members, members[member].place, last);
    sift_up(crowd, members, last);
    sift_down(crowd, members, last);
}

void crowd_sort_in(struct crowd *crowd, struct crowd_member *members, uint32_t member,
                   bool is_new) {
    struct crowd_member *m = &members[member];
    if (m->jobs.count == 0) {
        leave_heap(crowd, members, member);
        return;
    }
    uint32_t slot = queue_first(&m->jobs);
    m->value = queue_value(&m->jobs, slot);
    m->job = m->jobs.entries[slot].job;
    if (is_new) {
        m->place = (uint32_t)crowd->heap.count;
        array_push(&crowd->heap, member);
    }
    sift_up(crowd, members, member);
    sift_down(crowd, members, member);
}
