/* Growable arrays: ARRAY_OF(struct job) jobs = {0}; array_add(&jobs)->id = 3; free(jobs.at).
 * Sorted ones: ORDER_BY(by_size, struct job, DESC(gpus) ASC(id)) defines an order of qsort, and
 * sort_array(jobs.at, jobs.count, by_size) sorts.
 * Names by enum: of #define COLORS(X) X(RED, "red"), X(BLUE, "blue") come the constants of
 * enum color { COLORS(ENUM_OF) } and const char *const color_names[] = {COLORS(NAME_OF)}.
 */
#ifndef EASIM_BASE_ARRAY_H
#define EASIM_BASE_ARRAY_H

#include "base/mem.h"
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* What an enum and what the array of its names make of a row X(CONSTANT, "name"). */
#define ENUM_OF(constant, ...) constant
#define NAME_OF(constant, ...) [constant] = FIRST_CELL(__VA_ARGS__, 0)
#define FIRST_CELL(first, ...) first

#define ARRAY_OF(type) \
    struct { \
        type *at; \
        size_t count; \
        size_t capacity; \
    }

#define array_make_room(array) \
    ((array)->count == (array)->capacity \
         ? (void)((array)->at = array_grow((array)->at, &(array)->capacity, sizeof *(array)->at)) \
         : (void)0)

/* Pointer to a new, zeroed last element; valid until the next one is added. */
#define array_add(array) \
    (array_make_room(array), memset(&(array)->at[(array)->count], 0, sizeof *(array)->at), \
     &(array)->at[(array)->count++])

#define array_push(array, value) \
    (array_make_room(array), (void)((array)->at[(array)->count] = (value)), (void)(array)->count++)

/* Doubles *capacity (at least 16) and returns the moved memory. */
static inline void *array_grow(void *old, size_t *capacity, size_t bytes_each) {
    *capacity = *capacity < 16 ? 16 : 2 * *capacity;
    return mem_realloc(old, *capacity, bytes_each);
}

/* A binary search in what is sorted: `low` becomes the first index from low to high - 1 for which
   is_before, an expression of the index `at`, does not hold; high if there is none. */
#define SEARCH(low, high, is_before) \
    for (size_t after = (high), at = 0; (low) < after;) { \
        at = (low) + (after - (low)) / 2; \
        if (is_before) \
            (low) = at + 1; \
        else \
            after = at; \
    }

/* -1, 0 or 1 of two numbers; 0 if one is NaN. */
#define COMPARE(a, b) (((a) > (b)) - ((a) < (b)))

/* Defines an order of elements: the first member that differs decides. */
#define ORDER_BY(name, type, members) \
    static int name(const void *left, const void *right) { \
        const type *a = left, *b = right; \
        members return 0; \
    }

/* The smaller number first. */
#define ASC(member) \
    if (a->member < b->member) \
        return -1; \
    if (a->member > b->member) \
        return 1;

/* The larger number first. */
#define DESC(member) \
    if (a->member > b->member) \
        return -1; \
    if (a->member < b->member) \
        return 1;

/* What a comparison of a with b says, unless it is 0. */
#define THEN(compared) \
    { \
        int order = compared; \
        if (order != 0) \
            return order; \
    }

#define TEXT_ASC(member) THEN(compare_texts(a->member, b->member))

/* strcmp; NULL counts as an empty text. */
static inline int compare_texts(const char *a, const char *b) {
    return strcmp(a ? a : "", b ? b : "");
}

static inline int by_text(const void *a, const void *b) {
    return compare_texts(*(const char *const *)a, *(const char *const *)b);
}

static inline int by_real(const void *a, const void *b) {
    return COMPARE(*(const double *)a, *(const double *)b);
}

static inline int by_int64(const void *a, const void *b) {
    return COMPARE(*(const int64_t *)a, *(const int64_t *)b);
}

static inline int by_uint32(const void *a, const void *b) {
    return COMPARE(*(const uint32_t *)a, *(const uint32_t *)b);
}

/* qsort; `at` may be NULL if there are no elements. */
#define sort_array(at, count, order) \
    ((count) > 1 ? qsort((at), (count), sizeof *(at), (order)) : (void)0)

#endif
