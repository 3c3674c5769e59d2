/* Sorting by a number: elements go into as many equal intervals of it as there are elements; each
   is sorted in the same way, or compared if they are few. And Hoare's choice of one. */
#include "base/sort_doubles.h"

#include "base/array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FEW 100 /* so many are compared: cheaper than to count them */

struct places {
    const char *number; /* of the first element */
    size_t each;        /* bytes */
    bool real;          /* else int64_t */
    double low, per_unit;
};

static double number_at(const struct places *places, size_t i) {
    int64_t whole;
    double real;
    memcpy(&whole, places->number + i * places->each, sizeof whole);
    memcpy(&real, places->number + i * places->each, sizeof real);
    return places->real ? real : (double)whole;
}

static uint32_t place_of(const struct places *places, size_t i) {
    return (uint32_t)((number_at(places, i) - places->low) * places->per_unit);
}

/* Those of equal places keep their order. ret_ends: by place. */
static void move_to_places(struct places places, char *at, size_t count, uint32_t *ret_ends) {
    size_t each = places.each, offset = (size_t)(places.number - at);
    char *from = mem_alloc(count * each);
    memcpy(from, at, count * each);
    places.number = from + offset;
    for (size_t i = 0; i < count; i++)
        ret_ends[place_of(&places, i) + 1]++;
    for (size_t place = 1; place < count; place++)
        ret_ends[place + 1] += ret_ends[place];
    for (size_t i = 0; i < count; i++)
        memcpy(at + ret_ends[place_of(&places, i)]++ * each, from + i * each, each);
    free(from);
}

/* Whether they are in order. */
static bool is_sorted(const char *at, size_t count, size_t each,
                      int (*order)(const void *, const void *)) {
    size_t i = 1;
    while (i < count && order(at + (i - 1) * each, at + i * each) <= 0)
        i++;
    return i >= count;
}

void sort_by_number(void *all, size_t count, size_t each, size_t offset, bool real,
                    int (*order)(const void *, const void *)) {
    char *at = all;
    if (is_sorted(at, count, each, order))
        return;
    struct places places = {at + offset, each, real, INFINITY, 0};
    double high = -INFINITY;
    for (size_t i = 0; i < count && count > FEW; i++) {
        double number = number_at(&places, i);
        places.low = number < places.low ? number : places.low;
        high = number > high ? number : high;
    }
    places.per_unit = (double)(count - 1) / (high - places.low);
    if (!isnormal(places.per_unit) || count >= UINT32_MAX) { /* few, or all are equal */
        qsort(at, count, each, order);
        return;
    }
    uint32_t *ends = mem_zalloc(count + 1, sizeof *ends);
    move_to_places(places, at, count, ends);
    for (size_t place = 0, first = 0; place < count; first = ends[place++])
        sort_by_number(at + first * each, ends[place] - first, each, offset, real, order);
    free(ends);
}

/* -0 before 0. */
static int compare_doubles(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return a == b ? (signbit(b) != 0) - (signbit(a) != 0) : COMPARE(a, b);
}

void sort_doubles(double *values, size_t count) {
    sort_by_number(values, count, sizeof *values, 0, true, compare_doubles);
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
