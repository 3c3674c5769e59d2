/* Sorting many numbers in time proportional to their count. */
#ifndef EASIM_BASE_SORT_DOUBLES_H
#define EASIM_BASE_SORT_DOUBLES_H

#include <stddef.h>

/* Ascending; -0 comes before 0. No value is NaN. */
void sort_doubles(double *values, size_t count);
/* Sorts only so far that the value of one place is there, none above it is before and none below it
   behind. */
void sort_doubles_at(double *values, size_t count, size_t at);

#endif
