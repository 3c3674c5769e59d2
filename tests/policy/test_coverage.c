/* Coverage of the paired 95 % interval: two M/M/1 queues on the same arrivals, one server of mean 100 s, one of 80
   s. Mean waits are rho S / (1 - rho): lambda = 1/400 gives 0.25 * 100 / 0.75 = 33.333 s and 0.2 * 80 / 0.8 = 20 s.
   Of 1,000 intervals from ten replications each, 950 should hold the difference; 930 to 970 is 2.9 standard
   deviations of their number. A run is long enough for its mean wait to be about normal, as the t-interval assumes,
   and drains after a number of jobs, so that no wait is cut off. */
#include "../support/scenario.h"
#include "../support/temp_dir.h"
#include "experiment/compare.h"

#include <criterion/criterion.h>
#include <math.h>

TestSuite(coverage, .init = temp_dir_enter, .fini = temp_dir_leave);

#define REPETITIONS 1000
#define EACH        10

static void queue(struct trial *t, double size_s) {
    static const struct trial_options options = {.unchecked = true, .threads = 2};
    trial_run(
        t, &options,
        "name: queue\nhorizon: drain\nseed: 2385\nreplications: %d\n" TRIAL_CLUSTER(
            1) "workload: {kind: poisson, rate_per_s: 0.0025, sizes: {law: exponential, mean: %g}, rigid: {k: 1}, "
               "until: {jobs: 600}, warmup: 10000}\n"
               "policy: {name: fcfs}\n",
        REPETITIONS * EACH, size_s);
    trial_must_succeed(t);
}

Test(coverage, of_the_paired_interval, .timeout = 400) {
    struct trial slow, fast;
    int covered = 0, overlap = 0;
    const double difference_s = 0.2 * 80 / 0.8 - 0.25 * 100 / 0.75;
    queue(&slow, 100);
    queue(&fast, 80);
    for (int i = 0; i < REPETITIONS; i++) {
        const struct compare_series series[] = {{.summaries = slow.summaries + i * EACH},
                                                {.summaries = fast.summaries + i * EACH}};
        const struct comparison c = {.series = series, .count = 2, .replications = EACH, .baseline = 0};
        struct compare_cell cells[2];
        compare_metric(&c, (unsigned)summary_find("wait_mean_s"), cells);
        const struct estimate *diff = &cells[1].paired.diff;
        covered += fabs(diff->mean - difference_s) <= diff->ci95;
        overlap += diff->ci95 < sqrt(pow(cells[0].estimate.ci95, 2) + pow(cells[1].estimate.ci95, 2));
    }
    cr_assert(covered >= 930 && covered <= 970, "%d of %d intervals hold %g s", covered, REPETITIONS, difference_s);
    cr_assert(overlap == REPETITIONS, "pairs tell more than two means: %d", overlap);
    trial_finish(&slow);
    trial_finish(&fast);
}
