/* Comparison of policies: the Pareto front against brute force, the table of wishes, the number of
 * replications. */
#include "base/rng.h"
#include "experiment/compare.h"
#include "metrics/summary.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#define POINTS 40

/* By definition: on the front unless some point is at least as good everywhere and not equal.
   Coordinates 0..4, so that ties and equal points are common; some are undefined. */
Test(compare, pareto_brute_force) {
    gsl_rng *rng = rng_create(2385, 0, "points");
    size_t on_front = 0, off_front = 0;
    for (unsigned trial = 0; trial < 2000; trial++) {
        unsigned dimensions = 2 + trial % 2;
        struct pareto_point points[POINTS];
        size_t dominators[POINTS];
        for (size_t i = 0; i < POINTS; i++)
            for (unsigned d = 0; d < PARETO_MOST; d++)
                points[i].at[d] =
                    gsl_rng_uniform_int(rng, 50) == 0 ? NAN : (double)gsl_rng_uniform_int(rng, 5);
        pareto_dominators(points, POINTS, dimensions, dominators);
        for (size_t i = 0; i < POINTS; i++) {
            bool undefined = false, beaten = false;
            for (unsigned d = 0; d < dimensions; d++)
                undefined = undefined || isnan(points[i].at[d]);
            for (size_t j = 0; j < POINTS; j++) {
                unsigned as_good = 0, equal = 0;
                for (unsigned d = 0; d < dimensions; d++) {
                    as_good += points[j].at[d] <= points[i].at[d];
                    equal += points[j].at[d] == points[i].at[d];
                }
                bool beats = as_good == dimensions && equal < dimensions;
                beaten = beaten || beats;
                cr_assert(undefined || dominators[i] != j || beats, "%zu does not dominate %zu", j,
                          i);
            }
            cr_assert_eq(dominators[i] == PARETO_NOBODY, !undefined && !beaten);
            cr_assert(!undefined || dominators[i] == i);
            on_front += !undefined && !beaten;
            off_front += beaten;
        }
    }
    cr_assert(on_front > 2000 && off_front > 2000);
    gsl_rng_free(rng);
}

static unsigned column(const char *name) {
    int found = summary_find(name);
    cr_assert(found >= 0, "%s", name);
    return (unsigned)found;
}

Test(compare, kinds_wishes) {
    cr_assert_eq(metric_table[column("energy_kwh")].better, METRIC_LESS);
    cr_assert_eq(metric_table[column("throughput_jobs_per_h")].better, METRIC_MORE);
    cr_assert_eq(metric_table[column("jain_gpu_s")].better, METRIC_MORE);
    cr_assert_eq(metric_table[column("jobs_submitted")].better, METRIC_NEITHER);
    cr_assert_eq(metric_table[column("events")].better, METRIC_NEITHER);
    cr_assert(metric_table[column("jct_mean_s")].tail == METRIC_HEAVY &&
              metric_table[column("energy_kwh")].tail == METRIC_LIGHT);
    for (unsigned c = 0; c < SUMMARY_COUNT; c++)
        cr_expect_eq(column(summary_names[c]), c, "%s", summary_names[c]);
    cr_assert_eq(summary_find("no_such_metric"), -1);
}

#define COUNT 4

/* Energy and throughput of three policies by hand; everything else 0. */
static const double energy[3][COUNT] = {{10, 12, 11, 13}, {9, 11, 10, 12}, {10, 12, 11, 13}};
static const double speed[3][COUNT] = {{5, 5, 5, 5}, {4, 4, 4, 4.4}, {5, 5, 5, 5}};

static struct comparison three(struct summary summaries[3][COUNT],
                               struct compare_series series[3]) {
    static const char *const names[] = {"a", "b", "c"};
    memset(summaries, 0, 3 * COUNT * sizeof(struct summary));
    for (int s = 0; s < 3; s++) {
        series[s] = (struct compare_series){.policy = names[s], .summaries = summaries[s]};
        for (int i = 0; i < COUNT; i++) {
            summaries[s][i].energy_kwh = energy[s][i];
            summaries[s][i].throughput_jobs_per_h = speed[s][i];
        }
    }
    return (struct comparison){.series = series, .count = 3, .replications = COUNT, .baseline = 0};
}

/* b needs 1 kWh less in every replication (of 11.5 on average) and loses 1, 1, 1 and 0.6 jobs/h:
   mean -0.9, squares 3 * 0.01 + 0.09 = 0.12, sd 0.2, t = 0.9 / 0.1 = 9. c is a again. */
Test(compare, cells_and_front) {
    struct summary summaries[3][COUNT];
    struct compare_series series[3];
    struct comparison c = three(summaries, series);
    struct compare_cell cells[3];
    compare_metric(&c, column("energy_kwh"), cells);
    cr_assert(cells[1].estimate.mean == 10.5 && cells[1].paired.diff.mean == -1 &&
              isnan(cells[1].p_holm));
    cr_assert_float_eq(cells[1].relative, -1 / 11.5, 1e-15);
    cr_assert(cells[0].paired.diff.n == 0 && isnan(cells[0].relative) &&
              isnan(cells[0].paired.p_value));
    cr_assert(cells[2].relative == 0 && cells[2].paired.p_value == 1 && cells[2].p_holm == 1);
    compare_metric(&c, column("throughput_jobs_per_h"), cells);
    cr_assert_float_eq(cells[1].paired.diff.mean, -0.9, 1e-12);
    double x = 9 / sqrt(3),
           p = 1 - 2 / M_PI * (x / (1 + x * x) + atan(x)); /* 3 degrees of freedom */
    cr_assert_float_eq(cells[1].paired.p_value, p, 1e-9);
    cr_assert_float_eq(cells[1].p_holm, 2 * p, 1e-9); /* the least of two */
    struct compare_place places[3];
    const unsigned both[] = {column("energy_kwh"), column("throughput_jobs_per_h")};
    compare_pareto(&c, both, 2, places); /* less energy against more jobs */
    for (int s = 0; s < 3; s++)
        cr_assert(places[s].dominator == PARETO_NOBODY && places[s].share == 1);
    c.baseline = COMPARE_NOBODY;
    compare_metric(&c, both[0], cells);
    cr_assert(cells[1].estimate.mean == 10.5 && cells[1].paired.diff.n == 0);
}

/* Of 10 12 11 13: mean 11.5, sd sqrt(5/3), half width 3.1824 * 0.6455 = 2.0543, 17.86 % of the
   mean; of b 19.56 %. The half width falls with the root: (19.56 / 16)^2 * 4 = 5.98. */
Test(compare, replications_wanted) {
    struct summary summaries[3][COUNT];
    struct compare_series series[3];
    struct comparison c = three(summaries, series);
    struct compare_goal goal = {column("energy_kwh"), 0.2, 100};
    cr_assert_float_eq(compare_precision(&c, goal.column), 0.1956, 1e-4);
    cr_assert_eq(compare_next_count(&c, &goal), COUNT);
    goal.relative = 0.16;
    cr_assert_eq(compare_next_count(&c, &goal), 6);
    goal.relative = 0.001;
    cr_assert_eq(compare_next_count(&c, &goal), 2 * COUNT);
    goal.most = 7;
    cr_assert_eq(compare_next_count(&c, &goal), 7);
    goal.most = COUNT;
    cr_assert_eq(compare_next_count(&c, &goal), COUNT);
    goal = (struct compare_goal){column("preemptions"), 0.01, 100};
    cr_assert_eq(compare_next_count(&c, &goal), COUNT, "0 +- 0 is known");
    c.replications = 1;
    cr_assert_eq(compare_next_count(&c, &goal), 2, "one replication has no interval");
}
