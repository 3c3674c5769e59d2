/* Stable order by time: see order.h. */
#include "workload/order.h"

#include "base/array.h"
#include "base/mem.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct key {
    int64_t time_ns;
    uint32_t place;
};

ORDER_BY(compare_timed_keys, struct key, ASC(time_ns) ASC(place))

static int64_t time_at(const int64_t *first_ns, size_t stride, size_t i) {
    return *(const int64_t *)((const char *)first_ns + i * stride);
}

static bool are_in_order(const int64_t *first_ns, size_t stride, size_t count) {
    for (size_t i = 1; i < count; i++)
        if (time_at(first_ns, stride, i - 1) > time_at(first_ns, stride, i))
            return false;
    return true;
}

uint32_t *order_by_time(const int64_t *first_ns, size_t stride, size_t count) {
    if (are_in_order(first_ns, stride, count))
        return NULL;
    struct key *keys = mem_realloc(NULL, count, sizeof *keys);
    for (size_t i = 0; i < count; i++)
        keys[i] = (struct key){time_at(first_ns, stride, i), (uint32_t)i};
    sort_array(keys, count, compare_timed_keys);
    uint32_t *order = mem_realloc(NULL, count, sizeof *order);
    for (size_t i = 0; i < count; i++)
        order[i] = keys[i].place;
    free(keys);
    return order;
}

void *order_sorted_by_time(const void *records, size_t size, size_t time_offset, size_t count) {
    const char *at = records;
    uint32_t *order =
        count > 0 ? order_by_time((const int64_t *)(at + time_offset), size, count) : NULL;
    if (!order)
        return NULL;
    char *sorted = mem_realloc(NULL, count, size);
    for (size_t i = 0; i < count; i++)
        memcpy(sorted + i * size, at + order[i] * size, size);
    free(order);
    return sorted;
}
