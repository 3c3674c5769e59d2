/* Sorting many numbers in time proportional to their count. */
#ifndef EASIM_BASE_SORT_DOUBLES_H
#define EASIM_BASE_SORT_DOUBLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Ascending; -0 comes before 0. No value is NaN. */
void sort_doubles(double *values, size_t count);
/* Sorts only so far that the value of one place is there, none above it is before and none below it
   behind. */
void sort_doubles_at(double *values, size_t count, size_t at);

/* sort_array of elements that the order compares first by a member, ascending: an int64_t, or a
   double that is finite. Equal ones keep their order as in qsort. */
#define sort_array_by(at, count, member, order) \
    ((count) > 1 ? sort_by_number((at), (count), sizeof *(at), \
                                  (size_t)((const char *)&(at)->member - (const char *)(at)), \
                                  _Generic((at)->member, int64_t \
                                           : false, double \
                                           : true), \
                                  (order)) \
                 : (void)0)
void sort_by_number(void *at, size_t count, size_t each, size_t offset, bool real,
                    int (*order)(const void *, const void *));

#endif
