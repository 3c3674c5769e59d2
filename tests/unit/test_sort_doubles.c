/* Sorted numbers against those that qsort sorts. */
#include "base/array.h"
#include "base/sort_doubles.h"

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

static int compare_doubles(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

Test(sort_doubles, few_of_all_kinds) {
    double values[] = {3, -INFINITY, 0, DBL_MAX, -1e-300, INFINITY, -3, DBL_TRUE_MIN, 3, -DBL_MAX};
    static const double sorted[] = {-INFINITY,    -DBL_MAX, -3, -1e-300, 0,
                                    DBL_TRUE_MIN, 3,        3,  DBL_MAX, INFINITY};
    sort_doubles(values, sizeof values / sizeof *values);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        cr_expect_eq(values[i], sorted[i], "%g in place %zu", values[i], i);
}

Test(sort_doubles, zeros) {
    double values[] = {0.0, -0.0};
    sort_doubles(values, 2);
    cr_expect(signbit(values[0]) && !signbit(values[1]));
}

/* As many as both ways of sorting take, of both signs and of all sizes, some of them equal. */
Test(sort_doubles, as_qsort) {
    static const size_t counts[] = {0, 1, 2, 65, 511, 512, 513, 1000, 20000};
    uint64_t state = 2385;
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        double *values = mem_zalloc(counts[c], sizeof *values),
               *expected = mem_zalloc(counts[c], sizeof *expected);
        for (size_t i = 0; i < counts[c]; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            values[i] = expected[i] =
                i % 7 == 3 ? values[i / 2] : ldexp((double)(int64_t)state, (int)(i % 90) - 80);
        }
        qsort(expected, counts[c], sizeof *expected, compare_doubles);
        sort_doubles(values, counts[c]);
        for (size_t i = 0; i < counts[c]; i++)
            cr_assert_eq(values[i], expected[i], "%g in place %zu of %zu", values[i], i, counts[c]);
        free(values);
        free(expected);
    }
}

struct timed {
    int32_t index;
    int64_t time_ns;
    double amount;
};

ORDER_BY(by_time, struct timed, ASC(time_ns) DESC(index))
ORDER_BY(by_amount, struct timed, ASC(amount) ASC(index))

/* Elements of two orders, with equal numbers, with one far away and numbers that a double cannot
   tell apart. */
Test(sort_doubles, by_number_as_qsort) {
    static const size_t counts[] = {0, 1, 2, 100, 101, 102, 5000};
    uint64_t state = 2385;
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        struct timed *timed = mem_zalloc(counts[c] + 1, sizeof *timed),
                     *expected = mem_zalloc(counts[c] + 1, sizeof *expected);
        for (size_t i = 0; i < counts[c]; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            timed[i] =
                (struct timed){(int32_t)i, (int64_t)(state >> 55), ldexp(1, (int)(state >> 59))};
            if (i % 3 == 0)
                timed[i].time_ns += i % 2 == 0 ? INT64_MAX - 1000 : -1000000;
        }
        for (int real = 0; real < 2; real++) {
            memcpy(expected, timed, counts[c] * sizeof *timed);
            sort_array(expected, counts[c], real ? by_amount : by_time);
            if (real)
                sort_array_by(timed, counts[c], amount, by_amount);
            else
                sort_array_by(timed, counts[c], time_ns, by_time);
            for (size_t i = 0; i < counts[c]; i++)
                cr_assert_eq(timed[i].index, expected[i].index, "%d in place %zu of %zu",
                             timed[i].index, i, counts[c]);
        }
        free(timed);
        free(expected);
    }
}

/* Equal ones are as they were. */
Test(sort_doubles, all_equal) {
    double values[100];
    for (size_t i = 0; i < 100; i++)
        values[i] = 2.385;
    sort_doubles(values, 100);
    for (size_t i = 0; i < 100; i++)
        cr_expect_eq(values[i], 2.385);
}

/* Each place has the value that it has when qsort has sorted them. */
Test(sort_doubles, at_a_place) {
    static const size_t counts[] = {1, 2, 513, 20000};
    uint64_t state = 2386;
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (size_t kind = 0; kind < 4; kind++) { /* ascending, descending, few values, any */
            size_t count = counts[c], at = kind * (count - 1) / 3;
            double *values = mem_zalloc(count, sizeof *values),
                   *expected = mem_zalloc(count, sizeof *expected);
            for (size_t i = 0; i < count; i++) {
                state = state * 6364136223846793005u + 1442695040888963407u;
                values[i] = expected[i] = kind == 0   ? (double)i
                                          : kind == 1 ? -(double)i
                                          : kind == 2 ? (double)(state >> 62)
                                                      : (double)(int64_t)state;
            }
            qsort(expected, count, sizeof *expected, compare_doubles);
            sort_doubles_at(values, count, at);
            cr_expect_eq(values[at], expected[at], "%g in place %zu of %zu", values[at], at, count);
            for (size_t i = 0; i < count; i++)
                cr_assert(i < at ? values[i] <= values[at] : values[i] >= values[at]);
            free(values);
            free(expected);
        }
}
