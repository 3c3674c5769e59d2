/* A radix sort of doubles. Their bits, as integers, are in the order of the values once the sign of
   those that are not negative, and all bits of the others, are turned. */
#include "base/sort_doubles.h"

#include "base/mem.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define DIGIT_BITS 11
#define DIGITS     6 /* of 64 bits */
#define DIGIT_MAX  ((1u << DIGIT_BITS) - 1)
#define SIGN       (1ULL << 63)
#define FEW        512 /* so many are compared: cheaper than to count their digits */

struct counts {
    size_t of[DIGITS][DIGIT_MAX + 1]; /* how many have each value of each digit */
};

static uint64_t key_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits ^ (bits & SIGN ? UINT64_MAX : SIGN);
}

static unsigned digit_of(double value, int digit) {
    return (unsigned)(key_of(value) >> digit * DIGIT_BITS) & DIGIT_MAX;
}

static int compare_keys(const void *a, const void *b) {
    uint64_t x = key_of(*(const double *)a), y = key_of(*(const double *)b);
    return (x > y) - (x < y);
}

/* Those of equal digits keep their order. */
static void sort_by_digit(const double *from, double *to, size_t count, int digit, size_t *counts) {
    size_t at = 0;
    for (unsigned d = 0; d <= DIGIT_MAX; d++) {
        size_t those = counts[d];
        counts[d] = at;
        at += those;
    }
    for (size_t i = 0; i < count; i++)
        to[counts[digit_of(from[i], digit)]++] = from[i];
}

/* From the lowest digit to the highest. */
static void sort_many(double *values, size_t count) {
    struct counts *counts = mem_zalloc(1, sizeof *counts);
    double *room = mem_alloc(count * sizeof *room), *from = values, *to = room;
    for (size_t i = 0; i < count; i++)
        for (int digit = 0; digit < DIGITS; digit++)
            counts->of[digit][digit_of(values[i], digit)]++;
    for (int digit = 0; digit < DIGITS; digit++) {
        if (counts->of[digit][digit_of(values[0], digit)] == count)
            continue; /* all have the same */
        sort_by_digit(from, to, count, digit, counts->of[digit]);
        double *sorted = to;
        to = from;
        from = sorted;
    }
    if (from != values)
        memcpy(values, from, count * sizeof *values);
    free(room);
    free(counts);
}

void sort_doubles(double *values, size_t count) {
    if (count > FEW)
        sort_many(values, count);
    else
        qsort(values, count, sizeof *values, compare_keys);
}
