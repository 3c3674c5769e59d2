/* Growable arrays: ARRAY_OF(struct job) jobs = {0}; array_add(&jobs)->id = 3; free(jobs.at). */
#ifndef EASIM_BASE_ARRAY_H
#define EASIM_BASE_ARRAY_H

#include "base/mem.h"
#include <stddef.h>
#include <string.h>

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

#endif
