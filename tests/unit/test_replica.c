/* Replicas against the law that their table contains, and configurations of a service by hand. */
#include "model/serving.h"
#include "workload/service_load.h"

#include <criterion/criterion.h>
#include <math.h>

#define P_S 0.0137
#define Q_S 0.00041

static double law_rate(double n) {
    return n / (P_S + Q_S * n);
}

static double law_running(double per_s) {
    return P_S * per_s / (1 - Q_S * per_s);
}

/* Iteration time p + q n, power 100 + 30 ln n, latency of quantile q (q + 1)(10 + 2 n) ms. */
static void fill_law(struct serving_point points[4]) {
    static const double n[] = {3, 7, 19, 53};
    for (size_t i = 0; i < 4; i++) {
        points[i] = (struct serving_point){
            .limit = 4 * n[i], .n = n[i], .per_s = law_rate(n[i]), .power_w = 100 + 30 * log(n[i])};
        for (int q = 0; q < SERVING_QUANTILES; q++)
            points[i].latency_ms[q] = (q + 1) * (10 + 2 * n[i]);
    }
}

/* p90 at most 64 ms: 2 (10 + 2 n) = 64, n = 11. */
Test(replica, full_use_and_loads) {
    struct serving_point points[4];
    fill_law(points);
    const struct serving_table table = {points, 4};
    struct replica_config c = {.table = &table, .k = 2, .limit = INFINITY, .loaded_w = 77};
    cr_assert(replica_settle(&c, &(struct latency_objective){SERVING_P90, 64}));
    cr_expect_float_eq(c.most_n, 11, 1e-12);
    cr_expect_float_eq(c.most_per_s, law_rate(11), 1e-10);
    /* P is linear in log n between points, as this law is: the most is at 11 */
    cr_expect_float_eq(c.most_w, 100 + 30 * log(11), 1e-10);
    cr_expect_eq(replica_running(&c, 1), c.most_n);
    for (double load = 0.55; load < 1; load += 0.07) {
        double n = law_running(load * law_rate(11));
        cr_expect_float_eq(replica_running(&c, load), n, 1e-11);
        cr_expect_float_eq(replica_power_w(&c, load), 100 + 30 * log(n), 1e-10);
        cr_expect_float_eq(replica_latency_ms(&c, load), 2 * (10 + 2 * n), 1e-10);
        cr_expect_float_eq(replica_joules(&c, load), (100 + 30 * log(n)) / (load * law_rate(11)),
                           1e-12);
    }
    cr_expect_eq(replica_running(&c, 0), 0);
    cr_expect_eq(replica_power_w(&c, 0), 77);
    cr_expect_eq(replica_latency_ms(&c, 0), 2 * (10 + 2 * 3)); /* that of the first point */
}

Test(replica, limits_and_no_use) {
    struct serving_point points[4];
    fill_law(points);
    const struct serving_table table = {points, 4};
    struct replica_config c = {.table = &table, .k = 2, .limit = 9.5, .loaded_w = 77};
    cr_assert(replica_settle(&c, &(struct latency_objective){SERVING_P90, 64}));
    cr_expect_eq(c.most_n, 9.5);
    c.limit = 1; /* below the first point */
    cr_assert(replica_settle(&c, &(struct latency_objective){SERVING_P90, 64}));
    cr_expect_float_eq(c.most_per_s, law_rate(3) / 3, 1e-12);
    c.limit = INFINITY;
    cr_assert(replica_settle(&c, &(struct latency_objective){SERVING_P50, 1e6}));
    cr_expect_eq(c.most_n, 53); /* nothing beyond what was measured */
    cr_expect(replica_settle(&c, &(struct latency_objective){SERVING_P90, 32}));
    cr_expect(!replica_settle(&c, &(struct latency_objective){SERVING_P90, 31.9}));
}

/* Power that falls: the most is in between, or without a request. */
Test(replica, most_power) {
    struct serving_point points[] = {{.n = 2, .per_s = 10, .power_w = 300},
                                     {.n = 4, .per_s = 20, .power_w = 500},
                                     {.n = 8, .per_s = 30, .power_w = 400}};
    const struct serving_table table = {points, 3};
    struct replica_config c = {.table = &table, .limit = INFINITY, .loaded_w = 90};
    cr_assert(replica_settle(&c, &(struct latency_objective){SERVING_P50, 1}));
    cr_expect_eq(c.most_w, 500);
    c.loaded_w = 600;
    cr_assert(replica_settle(&c, &(struct latency_objective){SERVING_P50, 1}));
    cr_expect_eq(c.most_w, 600);
    c.loaded_w = 90;
    c.limit = 3; /* half of the logarithm would be 2.83 */
    cr_assert(replica_settle(&c, &(struct latency_objective){SERVING_P50, 1}));
    cr_expect_float_eq(c.most_w, 300 + 200 * log(1.5) / log(2), 1e-10);
}

/* Straight lines: a gives 100/s with 200 W, or half of it with 150 W; b 40/s with 90 W, half with
   50 W. By energy a is better from a load of 40 % on, b below; by latency a is. */
static void fill_lines(struct serving_point a[2], struct serving_point b[2]) {
    a[0] = (struct serving_point){.n = 1, .per_s = 50, .power_w = 150, .latency_ms = {5, 5, 5, 5}};
    a[1] = (struct serving_point){.n = 2, .per_s = 100, .power_w = 200, .latency_ms = {5, 5, 5, 6}};
    b[0] = (struct serving_point){.n = 1, .per_s = 20, .power_w = 50, .latency_ms = {7, 7, 7, 7}};
    b[1] = (struct serving_point){.n = 2, .per_s = 40, .power_w = 90, .latency_ms = {7, 7, 7, 7}};
}

Test(replica, best_configuration) {
    struct serving_point a[2], b[2];
    fill_lines(a, b);
    const struct serving_table tables[] = {{a, 2}, {b, 2}};
    struct replica_config configs[2] = {{.table = &tables[0], .k = 1, .limit = INFINITY},
                                        {.table = &tables[1], .k = 1, .limit = INFINITY}};
    struct service s = {.configs = configs, .config_count = 2, .scaling = {.target = 1}};
    for (int i = 0; i < 2; i++)
        cr_assert(replica_settle(&configs[i], &(struct latency_objective){SERVING_P99, 10}));
    /* full: 2 J or 2.25 J a token */
    cr_expect_eq(service_configs_best(&s, 0, 0, NULL), 0);
    cr_expect_eq(service_configs_best(&s, 1000, 0, NULL), 0);
    /* 20/s, alone: a at load 0.2, n = 0.4, P = 150 (1 - e^-0.4)/(1 - e^-1) = 78.2 W, 3.91 J; b at
       load 0.5: 50 W, 2.5 J */
    cr_expect_eq(service_configs_best(&s, 20, 0, NULL), 1);
    cr_expect_float_eq(replica_joules(&configs[0], 0.2), 150 * expm1(-0.4) / expm1(-1) / 20, 1e-12);
    cr_expect_eq(replica_joules(&configs[1], 0.5), 2.5);
    /* beside others that give 100/s, 120/s are a load of 0.6 for a, 163.2 W for 60/s, 2.72 J, and
       of 0.857 for b, 81.1 W for 34.3/s, 2.37 J */
    cr_expect_eq(service_configs_best(&s, 120, 100, NULL), 1);
    s.scaling.objective = OBJECTIVE_LATENCY;
    cr_expect_eq(service_configs_best(&s, 20, 0, NULL), 0);
    cr_expect_eq(service_configs_best(&s, 20, 0, (const bool[]){false, true}), 1);
    cr_expect_eq(service_configs_best(&s, 20, 0, (const bool[]){false, false}), SERVICE_NO_CONFIG);
}
