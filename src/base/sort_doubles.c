/* A radix sort of doubles, and Hoare's choice of one. Their bits, as integers, are in the order of
   the values once the sign of those that are not negative, and all bits of the others, are turned.
 */
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

#define LEFT        16  /* so many are sorted */
#define MOST_ROUNDS 100 /* mostly 2 log2(count) are enough */

/* The value between the first, the middle and the last. */
static double pivot_of(const double *values, size_t count) {
    double a = values[0], b = values[count / 2], c = values[count - 1];
    double low = a < b ? a : b, high = a < b ? b : a;
    return c < low ? low : c < high ? c : high;
}

/* Hoare 1961: FIND. */
void sort_doubles_at(double *values, size_t count, size_t at) {
    for (int round = 0; count > LEFT && round < MOST_ROUNDS; round++) {
        const double pivot = pivot_of(values, count);
        size_t i = 0, j = count - 1;
        for (;; i++, j--) {
            while (values[i] < pivot)
                i++;
            while (pivot < values[j])
                j--;
            if (i >= j)
                break;
            double moved = values[i];
            values[i] = values[j];
            values[j] = moved;
        }
        size_t lower = at <= j ? 0 : j + 1;
        count = lower == 0 ? j + 1 : count - lower;
        values += lower;
        at -= lower;
    }
    sort_doubles(values, count);
}
