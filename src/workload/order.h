/* Stable order by time of records that are mostly in order already. */
#ifndef EASIM_WORKLOAD_ORDER_H
#define EASIM_WORKLOAD_ORDER_H

#include <stddef.h>
#include <stdint.h>

/* `count` records of `size` bytes that may be moved as bytes, each with an int64 time `time_offset`
   bytes behind its beginning, in order of time; equal times keep their order. NULL: they stand so
   already; else a copy, owned by the caller (free). */
void *order_sorted_by_time(const void *records, size_t size, size_t time_offset, size_t count);

/* The order of `count` records whose int64 times stand `stride` bytes apart: order[i] is the record
   that comes i-th; equal times keep their order. Owned by the caller (free); NULL if the records
   are in order as they stand.
 */
uint32_t *order_by_time(const int64_t *first_ns, size_t stride, size_t count);

#endif
