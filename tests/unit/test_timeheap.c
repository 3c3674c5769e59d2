/* Heap of times: the order of what comes out against a sorted copy. */
#include "base/timeheap.h"

#include <criterion/criterion.h>
#include <math.h>

Test(timeheap, by_time_then_number) {
    static const struct timeheap_entry in[] = {{5, 1}, {2.385, 7}, {5, 0}, {-1, 3},
                                               {9, 2}, {2.385, 6}, {7, 4}, {5, 5}};
    static const uint32_t until_5[] = {3, 6, 7, 0, 1, 5}, after[] = {4, 2};
    struct timeheap heap = {0};
    uint32_t id = 99;
    cr_assert_not(timeheap_pop_due(&heap, 1e9, &id));
    for (size_t i = 0; i < sizeof in / sizeof *in; i++)
        timeheap_push(&heap, in[i].time_s, in[i].id);
    cr_expect_not(timeheap_pop_due(&heap, -1.5, &id));
    cr_expect_eq(id, 99, "untouched");
    for (size_t i = 0; i < 6; i++) {
        cr_assert(timeheap_pop_due(&heap, 5, &id));
        cr_expect_eq(id, until_5[i], "number %u in place %zu", id, i);
    }
    cr_expect_not(timeheap_pop_due(&heap, 5, &id));
    for (size_t i = 0; i < 2; i++) {
        cr_assert(timeheap_pop_due(&heap, 9, &id));
        cr_expect_eq(id, after[i]);
    }
    cr_expect_not(timeheap_pop_due(&heap, INFINITY, &id));
    timeheap_finish(&heap);
}

/* 1000 times from a fixed generator come out in ascending order, those pushed in between included.
 */
Test(timeheap, many) {
    struct timeheap heap = {0};
    uint64_t state = 2385;
    double last = 0;
    for (uint32_t i = 0; i < 1000; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        timeheap_push(&heap, last + (double)(state >> 44), i);
        uint32_t id;
        if (i % 3 == 0) {
            double before = last;
            last = heap.entries.at[0].time_s;
            cr_assert(last >= before && timeheap_pop_due(&heap, last, &id));
        }
    }
    cr_expect_eq(heap.entries.count, 666);
    timeheap_finish(&heap);
}
