/* Coverage of the paired 95 % interval: two M/M/1 queues on the same arrivals (one in 400 s), one
   server of mean 100 s, one of 80 s, so rho = 0.25 and 0.2. Of 1,000 intervals 950 should hold the
   true difference; their number has a standard deviation of 7, so 930 to 970 is 2.9 of them either
   way. The comparisons have the seeds 1 to 1,000. EASIM_COVERAGE=JOBS,REPLICATIONS,FIRST_SEED only
   measures another setting, as for docs/explanation/coverage.csv.

   Busy time of runs of 25 h is rho in the steady state, reached after a warm-up of 10,000 s (25
   relaxation times S / (1 - sqrt(rho))^2).

   Mean waits of the first J jobs from an empty start have an exact answer. By Spitzer (1956) job n
   waits sum(E[S_k+] / k, k < n) on average, S_k being k services less k gaps; in the steady state
   that is rho S / (1 - rho), of which all jobs together fall short by S rho / (1 - rho)^3, but for
   less than 1e-9 s from 200 jobs on. */
#include "../support/scenario.h"
#include "../support/temp_dir.h"
#include "experiment/compare.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

TestSuite(coverage, .init = temp_dir_enter, .fini = temp_dir_leave);

#define REPETITIONS 1000
#define MEASURED    2 /* metrics of one setting */

struct setting {
    unsigned jobs, replications, first_seed;
    const char *end;               /* of runs, as YAML */
    const char *workload;          /* what the section has besides */
    const char *metrics[MEASURED]; /* or NULL */
    double differences[MEASURED];
    int held[MEASURED];
};

static void queue(const struct setting *s, unsigned seed, double size_s,
                  struct replicate_result *result) {
    static const struct trial_options nothing = {.jobs = NULL};
    static const struct replicate_options how = {.processes = 0}; /* fcfs does not fall */
    struct trial t;
    struct error error = {0};
    char yaml[1024];
    snprintf(
        yaml, sizeof yaml,
        "name: queue\nhorizon: %s\nseed: %u\nreplications: %u\n" TRIAL_CLUSTER(
            1) "workload: {kind: poisson, rate_per_s: 0.0025, sizes: {law: exponential, mean: %g}, rigid: {k: 1}, %s}\n"
               "policy: {name: fcfs}\n",
        s->end, seed, s->replications, size_s, s->workload);
    trial_load(&t, &nothing, yaml);
    trial_must_succeed(&t);
    *result = (struct replicate_result){.count = 0};
    cr_assert_eq(replicate_run(&t.study, &how, &replicate_summaries_only, result, &error), 0, "%s",
                 error.text);
    trial_finish(&t);
}

/* Whether the interval of a metric holds the difference. It must be shorter than that of two
 * independent means. */
static bool holds(const struct replicate_result *slow, const struct replicate_result *fast,
                  const char *metric, double difference) {
    const struct compare_series series[] = {{.summaries = slow->summaries},
                                            {.summaries = fast->summaries}};
    const struct comparison c = {
        .series = series, .count = 2, .replications = slow->count, .baseline = 0};
    struct compare_cell cells[2];
    compare_metric(&c, (unsigned)summary_find(metric), cells);
    const struct estimate *diff = &cells[1].paired.diff;
    cr_assert(diff->ci95 < hypot(cells[0].estimate.ci95, cells[1].estimate.ci95),
              "pairs tell more");
    return fabs(diff->mean - difference) <= diff->ci95;
}

static void measure(struct setting *s) {
    for (unsigned i = 0; i < REPETITIONS; i++) {
        struct replicate_result slow, fast;
        queue(s, s->first_seed + i, 100, &slow);
        queue(s, s->first_seed + i, 80, &fast);
        for (int m = 0; m < MEASURED && s->metrics[m]; m++)
            s->held[m] += holds(&slow, &fast, s->metrics[m], s->differences[m]);
        replicate_result_finish(&slow);
        replicate_result_finish(&fast);
    }
    for (int m = 0; m < MEASURED && s->metrics[m]; m++)
        fprintf(stderr, "%s: %d of %d\n", s->metrics[m], s->held[m], REPETITIONS);
}

/* Whether another setting is asked for. */
static bool ask(struct setting *s) {
    const char *text = getenv("EASIM_COVERAGE");
    if (text)
        cr_assert_eq(sscanf(text, "%u,%u,%u", &s->jobs, &s->replications, &s->first_seed), 3);
    return text != NULL;
}

static void must_hold(const struct setting *s) {
    for (int m = 0; m < MEASURED && s->metrics[m]; m++)
        cr_expect(s->held[m] >= 930 && s->held[m] <= 970, "%s: %d of %d", s->metrics[m], s->held[m],
                  REPETITIONS);
}

Test(coverage, of_busy_time, .timeout = 12000) {
    struct setting s = {.replications = 10,
                        .first_seed = 1,
                        .end = "90000",
                        .workload = "warmup: 10000",
                        .metrics = {"util_alloc"},
                        .differences = {0.2 - 0.25}};
    bool other = ask(&s);
    measure(&s);
    if (!other)
        must_hold(&s);
}

/* Mean wait of the first jobs. */
static double mean_wait_s(double size_s, unsigned jobs) {
    double rho = 0.0025 * size_s, idle = 1 - rho;
    return rho * size_s / idle - rho * size_s / (idle * idle * idle * jobs);
}

Test(coverage, of_waits_and_completion_times, .timeout = 12000) {
    struct setting s = {.jobs = 3000,
                        .replications = 10,
                        .first_seed = 1,
                        .end = "drain",
                        .metrics = {"wait_mean_s", "jct_mean_s"}};
    char workload[64];
    bool other = ask(&s);
    /* from the recursion over the number of jobs that each arrival finds */
    cr_assert_float_eq(mean_wait_s(100, 200), 33.03703703704, 1e-10);
    cr_assert_float_eq(mean_wait_s(80, 200), 19.84375, 1e-10);
    snprintf(workload, sizeof workload, "until: {jobs: %u}", s.jobs);
    s.workload = workload;
    s.differences[0] = mean_wait_s(80, s.jobs) - mean_wait_s(100, s.jobs);
    s.differences[1] = s.differences[0] + 80 - 100;
    measure(&s);
    if (!other)
        must_hold(&s);
}
