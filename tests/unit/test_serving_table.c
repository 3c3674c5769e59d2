/* Serving tables against closed forms: a curve X = n / (p + q n) that the table's law contains, an
   exponential below the first point, pooling against the max-min formula of isotonic regression. */
#include "model/serving_table.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))

static void expect_near(double found, double expected, double tolerance, const char *what) {
    cr_expect(fabs(found - expected) <= tolerance * fabs(expected), "%s: %.17g, not %.17g", what,
              found, expected);
}

/* Iteration time p + q n at n = 3, 7, 19, 53; power 100 + 30 ln n; latencies by hand. */
#define P_S 0.0137
#define Q_S 0.00041

static double law_rate(double n) {
    return n / (P_S + Q_S * n);
}

static void fill_law(struct serving_point points[4]) {
    static const double n[] = {3, 7, 19, 53};
    for (size_t i = 0; i < 4; i++) {
        points[i] = (struct serving_point){
            .limit = 4 * n[i], .n = n[i], .per_s = law_rate(n[i]), .power_w = 100 + 30 * log(n[i])};
        for (int q = 0; q < SERVING_QUANTILES; q++)
            points[i].latency_ms[q] = (q + 1) * (10 + 2 * n[i]);
    }
}

Test(serving_table, rate_and_inverse) {
    struct serving_point points[4];
    fill_law(points);
    const struct serving_table table = {points, 4};
    for (size_t i = 0; i < 4; i++) {
        cr_expect_eq(serving_table_rate(&table, points[i].n), points[i].per_s);
        cr_expect_eq(serving_table_running(&table, points[i].per_s), points[i].n);
    }
    for (double n = 3; n <= 53; n += 0.37) {
        expect_near(serving_table_rate(&table, n), law_rate(n), 1e-14, "rate");
        expect_near(serving_table_running(&table, law_rate(n)), n, 1e-13, "inverse of the law");
    }
    for (double n = 0.1; n < 3; n += 0.29) {
        expect_near(serving_table_rate(&table, n), points[0].per_s * n / 3, 1e-15, "below");
        expect_near(serving_table_running(&table, points[0].per_s * n / 3), n, 1e-15,
                    "its inverse");
    }
    cr_expect_eq(serving_table_rate(&table, 0), 0);
    cr_expect_eq(serving_table_running(&table, 0), 0);
}

/* A step that rises by a millionth: an n is known to what the rounding of 1000 leaves of it, 1e-13
   of 1e-3 over 30. */
Test(serving_table, inverse_where_nearly_flat) {
    struct serving_point points[] = {{.n = 10, .per_s = 1000}, {.n = 40, .per_s = 1000.001}};
    const struct serving_table table = {points, 2};
    for (double n = 10; n <= 40; n += 1.7)
        expect_near(serving_table_running(&table, serving_table_rate(&table, n)), n, 1e-8,
                    "inverse");
}

Test(serving_table, inverse_takes_the_least_where_flat) {
    struct serving_point points[] = {{.n = 2, .per_s = 100},
                                     {.n = 8, .per_s = 300},
                                     {.n = 20, .per_s = 300},
                                     {.n = 31, .per_s = 300}};
    const struct serving_table table = {points, 4};
    cr_expect_eq(serving_table_running(&table, 300), 8);
    cr_expect_eq(serving_table_rate(&table, 13.7), 300);
    for (int i = 0; i < 4; i++)
        for (int q = 0; q < SERVING_QUANTILES; q++)
            points[i].latency_ms[q] = 5 + points[i].n;
    cr_expect_eq(serving_table_most(&table, 1000, SERVING_P99, 1000), 8);
    cr_expect_eq(serving_table_most(&table, 13, SERVING_P99, 1000), 8);
    cr_expect_eq(serving_table_most(&table, 7, SERVING_P99, 1000), 7);
}

Test(serving_table, power) {
    struct serving_point points[4];
    fill_law(points);
    const struct serving_table table = {points, 4};
    for (size_t i = 0; i < 4; i++)
        cr_expect_eq(serving_table_power_w(&table, points[i].n, 17), points[i].power_w);
    for (double n = 3; n <= 53; n += 0.37)
        expect_near(serving_table_power_w(&table, n, 17), 100 + 30 * log(n), 1e-14, "power");
    /* below: the share of time with a request, of Poisson mean n, is 1 - e^-n */
    double first = 100 + 30 * log(3);
    cr_expect_eq(serving_table_power_w(&table, 0, 17), 17);
    expect_near(serving_table_power_w(&table, 1.3, 17),
                17 + (first - 17) * (1 - exp(-1.3)) / (1 - exp(-3.)), 1e-14, "below");
}

Test(serving_table, latency_and_full_use) {
    struct serving_point points[4];
    fill_law(points);
    const struct serving_table table = {points, 4};
    cr_expect_eq(serving_table_latency_ms(&table, 0.5, SERVING_P90), 2 * 16);
    for (double n = 3; n <= 53; n += 0.37)
        expect_near(serving_table_latency_ms(&table, n, SERVING_P95), 3 * (10 + 2 * n), 1e-14,
                    "latency");
    /* 4 (10 + 2 n) = 100 at n = 7.5, between two points */
    expect_near(serving_table_most(&table, 1e9, SERVING_P99, 100), 7.5, 1e-14, "by latency");
    cr_expect_eq(serving_table_most(&table, 5.5, SERVING_P99, 100), 5.5);
    cr_expect_eq(serving_table_most(&table, 1, SERVING_P99, 100), 1);
    cr_expect_eq(serving_table_most(&table, 1e9, SERVING_P99, 1e9), 53);
    cr_expect_eq(serving_table_most(&table, 1e9, SERVING_P99, 64), 3); /* just what the first has */
    cr_expect_eq(serving_table_most(&table, 1e9, SERVING_P99, 63.9), 0);
}

Test(serving_table, one_point) {
    struct serving_point point = {.n = 4, .per_s = 10, .power_w = 300, .latency_ms = {1, 2, 3, 4}};
    const struct serving_table table = {&point, 1};
    cr_expect_eq(serving_table_rate(&table, 4), 10);
    cr_expect_eq(serving_table_rate(&table, 1), 2.5);
    cr_expect_eq(serving_table_running(&table, 2.5), 1);
    cr_expect_eq(serving_table_most(&table, 9, SERVING_P95, 3), 4);
}

/* max over a <= i of min over b >= i of the mean of a..b: isotonic regression as a formula. */
static double isotonic(const double *values, size_t count, size_t i) {
    double most = -INFINITY;
    for (size_t a = 0; a <= i; a++) {
        double least = INFINITY;
        for (size_t b = i; b < count; b++) {
            double sum = 0;
            for (size_t j = a; j <= b; j++)
                sum += values[j];
            least = fmin(least, sum / (double)(b - a + 1));
        }
        most = fmax(most, least);
    }
    return most;
}

Test(serving_table, pooling) {
    double values[40], pooled[40];
    unsigned state = 12345;
    double by_hand[] = {1, 5, 3, 4, 2, 9, 8};
    static const double expected[] = {1, 3.5, 3.5, 3.5, 3.5, 8.5, 8.5};
    pool_adjacent_violators(by_hand, COUNT(by_hand));
    cr_expect_arr_eq(by_hand, expected, sizeof by_hand);
    for (size_t count = 1; count <= COUNT(values); count++) {
        for (size_t i = 0; i < count; i++) {
            state = state * 1103515245u + 12345u;
            values[i] = (state >> 16) % 1000 + 10.0 * (double)i;
        }
        memcpy(pooled, values, sizeof pooled);
        pool_adjacent_violators(pooled, count);
        for (size_t i = 0; i < count; i++)
            expect_near(pooled[i], isotonic(values, count, i), 1e-13, "pooled");
        double again[40];
        memcpy(again, pooled, sizeof again);
        pool_adjacent_violators(again, count);
        cr_expect_arr_eq(again, pooled, count * sizeof *again);
    }
}

Test(serving_table, pools_rate_and_latency_but_not_power) {
    struct serving_point points[] = {
        {.n = 1, .per_s = 10, .power_w = 500, .latency_ms = {4, 8, 9, 9}},
        {.n = 2, .per_s = 30, .power_w = 400, .latency_ms = {6, 6, 9, 11}},
        {.n = 3, .per_s = 20, .power_w = 450, .latency_ms = {5, 7, 9, 10}},
    };
    struct serving_table table = {points, 3};
    serving_table_pool(&table);
    static const double rate[] = {10, 25, 25}, power[] = {500, 400, 450},
                        latency[3][4] = {{4, 7, 9, 9}, {5.5, 7, 9, 10.5}, {5.5, 7, 9, 10.5}};
    for (int i = 0; i < 3; i++) {
        cr_expect_eq(points[i].per_s, rate[i]);
        cr_expect_eq(points[i].power_w, power[i]);
        cr_expect_arr_eq(points[i].latency_ms, latency[i], sizeof latency[i]);
    }
}
