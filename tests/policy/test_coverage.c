/* Coverage of the paired 95 % interval: two M/M/1 queues on the same arrivals (one in 400 s), one server of mean
   100 s, one of 80 s. In the steady state they are busy for rho = 0.25 and 0.2 of the time, and mean waits are rho
   S / (1 - rho): 0.25 * 100 / 0.75 = 33.333 s and 0.2 * 80 / 0.8 = 20 s. Of 1,000 intervals from ten replications
   each, 950 should hold the difference; 930 to 970 is 2.9 standard deviations of their number. That holds for busy
   time, whose mean over a run of 200 jobs is about normal. The mean wait of 200 jobs is skewed, so its t-intervals
   hold less often: 920 to 942 with four seeds, 943 with runs of 1,500 jobs. */
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
        "name: queue\nhorizon: 90000\nseed: 2385\nreplications: %d\n" TRIAL_CLUSTER(
            1) "workload: {kind: poisson, rate_per_s: 0.0025, sizes: {law: exponential, mean: %g}, rigid: {k: 1}, "
               "warmup: 10000}\n"
               "policy: {name: fcfs}\n",
        REPETITIONS * EACH, size_s);
    trial_must_succeed(t);
}

/* How many intervals of a metric hold a difference; all must be shorter than those of two independent means. */
static int covered(const struct trial *slow, const struct trial *fast, const char *metric, double difference) {
    int count = 0;
    for (int i = 0; i < REPETITIONS; i++) {
        const struct compare_series series[] = {{.summaries = slow->summaries + i * EACH},
                                                {.summaries = fast->summaries + i * EACH}};
        const struct comparison c = {.series = series, .count = 2, .replications = EACH, .baseline = 0};
        struct compare_cell cells[2];
        compare_metric(&c, (unsigned)summary_find(metric), cells);
        const struct estimate *diff = &cells[1].paired.diff;
        count += fabs(diff->mean - difference) <= diff->ci95;
        cr_assert(diff->ci95 < hypot(cells[0].estimate.ci95, cells[1].estimate.ci95), "pairs tell more");
    }
    return count;
}

Test(coverage, of_the_paired_interval, .timeout = 400) {
    struct trial slow, fast;
    queue(&slow, 100);
    queue(&fast, 80);
    int busy = covered(&slow, &fast, "util_alloc", 0.2 - 0.25);
    int wait = covered(&slow, &fast, "wait_mean_s", 0.2 * 80 / 0.8 - 0.25 * 100 / 0.75);
    cr_assert(busy >= 930 && busy <= 970, "busy time: %d of %d", busy, REPETITIONS);
    cr_assert(wait >= 910 && wait <= 970, "wait: %d of %d", wait, REPETITIONS);
    trial_finish(&slow);
    trial_finish(&fast);
}
