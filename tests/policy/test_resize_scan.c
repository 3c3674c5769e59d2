/* The fast search for jobs to resize (src/policy/list/grow.c) finds exactly what a scan of all
   running jobs and all their configurations finds (plugins/naive_resize.c), on scenarios drawn at
   random. */
#include "../support/scenario.h"
#include "../support/temp_dir.h"

#include <criterion/criterion.h>

TestSuite(resize_scan, .init = temp_dir_enter, .fini = temp_dir_leave);

/* Two models of unlike scaling, slower across nodes; the costs of stopping and the phases are
   filled in. */
static const char models[] =
    "models:\n"
    "  - {name: wide, m0: 512, phi: 9000, batches: [16, 64], start_s: 20, %s, %sgpus: {\n"
    "     g: {a_s: 0.03, c_s: 0.004, gamma: 2, alpha_s: 0.004, alpha_inter_s: 0.05, p0_w: 100, pmax_w: 300,\n"
    "         evidence: assumed, source: made up},\n"
    "     h: {a_s: 0.02, c_s: 0.001, gamma: 2, alpha_s: 0.002, alpha_inter_s: 0.03, p0_w: 150, pmax_w: 600,\n"
    "         evidence: assumed, source: made up}}}\n"
    "  - {name: narrow, m0: 64, phi: 300, batches: [8, 32], start_s: 5, %s, %sgpus: {\n"
    "     g: {a_s: 0.01, c_s: 0.006, gamma: 1.5, alpha_s: 0.02, p0_w: 90, pmax_w: 350, evidence: assumed,\n"
    "         source: made up}}}\n";

static const char *const clusters[] = {
    "[{count: 3, gpu: g, gpus: 4}, {count: 2, gpu: h, gpus: 2}]",
    "[{gpu: g, gpus: 3}, {count: 2, gpu: h, gpus: 4}, {gpu: g, gpus: 6}]",
    "[{count: 6, gpu: g, gpus: 2}, {gpu: h, gpus: 8}]",
};
static const char *const costs[] = {
    "restart_s: 30, checkpoint_s: 10",
    "restart_s: 7.5, checkpoint_interval_s: 95",
    "restart_s: 0",
    "restart_s: 45, checkpoint_s: 3, checkpoint_interval_s: 1200",
    "restart_s: 5, checkpoint_s: 150", /* moved again while they write, where the interval allows it
                                        */
};
/* What a resize brings changes with the phase, too. */
static const char *const phases[] = {
    "",
    "phases: [{until: 0.3}, {until: 1, phi: 60000, batches: [64, 128]}], ",
    "phases: [{until: 0.2, phi: 60000}, {until: 0.6, phi: 30, batches: [16]}, {until: 1, batches: [24]}], ",
};
/* Of the GPUs: awake for ever, quick to wake, and so slow that waking decides. */
static const char *const sleeps[] = {
    "",
    ", sleep_w: 20, sleep_after: 120, wake_s: 15",
    ", sleep_w: 20, sleep_after: 30, wake_s: 400",
};
static const char *const options[] = {
    "resize_gain: 0.1, resize_interval_s: 300",
    "resize_gain: 0, resize_interval_s: 0",
    "resize_gain: 0.02, resize_interval_s: 40",
};
#define COUNT(array) (sizeof(array) / sizeof *(array))

static void run(struct trial *t, struct trial_options *o, int number, const char *policy,
                const char *more) {
    static char text[4096];
    size_t n = (size_t)number;
    snprintf(text, sizeof text, models, costs[n % COUNT(costs)], phases[n / 4 % COUNT(phases)],
             costs[n / 2 % COUNT(costs)], phases[n / 6 % COUNT(phases)]);
    *o = (struct trial_options){.models = text, .strict = true};
    trial_run(
        t, o,
        "name: n\n"
        "horizon: drain\n"
        "seed: %d\n"
        "models: models.yaml\n"
        "cluster:\n"
        "  gpu_types: [{name: g, idle_w: 50, ctx_w: 90, tdp_w: 400, memory_gib: 80%s}, {name: h, idle_w: 60, ctx_w: 110, tdp_w: 700, memory_gib: 80%s}]\n"
        "  nodes: %s\n"
        "workload: {kind: poisson, load: %g, k: [1, 2, 3, 4, 8], sizes: {law: lognormal, mean: 15min, cv: 1.5}, until: {jobs: 150}}\n"
        "policy: {name: %s, params: {%s%s}}\n",
        number, sleeps[n / 5 % COUNT(sleeps)], sleeps[n / 7 % COUNT(sleeps)],
        clusters[n % COUNT(clusters)], 0.3 + 0.1 * (number % 7), policy,
        options[n / 3 % COUNT(options)], more);
    trial_must_succeed(t);
}

/* Same starts, finishes, resizes and energy of every job; returns the number of resizes. */
static uint32_t expect_equal(const struct trial *fast, const struct trial *naive, int number) {
    uint32_t resizes = 0;
    cr_assert_eq(fast->job_count, naive->job_count);
    for (size_t i = 0; i < fast->job_count; i++) {
        const struct trial_job *x = &fast->jobs[i], *y = &naive->jobs[i];
        cr_assert(x->start_ns == y->start_ns && x->finish_ns == y->finish_ns &&
                      x->resizes == y->resizes && x->k == y->k && x->batch == y->batch &&
                      x->gpu_type == y->gpu_type && x->energy_j == y->energy_j &&
                      x->lost_s == y->lost_s,
                  "scenario %d, job %s: %u and %u resizes, until %lld and %lld ns", number, x->id,
                  x->resizes, y->resizes, (long long)x->finish_ns, (long long)y->finish_ns);
        resizes += x->resizes;
    }
    return resizes;
}

static void compare(bool by_edp) {
    uint32_t resizes = 0;
    for (int number = 1; number <= 72; number++) {
        struct trial_options options_fast, options_naive;
        struct trial fast, naive;
        run(&fast, &options_fast, number, by_edp ? "zeus" : "pollux", ", resize: true");
        run(&naive, &options_naive, number, "naive_resize", by_edp ? ", by_edp: true" : "");
        resizes += expect_equal(&fast, &naive, number);
        trial_finish(&fast);
        trial_finish(&naive);
    }
    cr_assert(resizes > 1000, "only %u resizes", resizes); /* else nothing was compared */
}

Test(resize_scan, by_time) {
    compare(false);
}

Test(resize_scan, by_edp) {
    compare(true);
}

static uint32_t count_resizes(int number, const char *more) {
    struct trial_options run_options;
    struct trial t;
    uint32_t resizes = 0;
    run(&t, &run_options, number, number % 2 ? "zeus" : "pollux", more);
    for (size_t i = 0; i < t.job_count; i++)
        resizes += t.jobs[i].resizes;
    trial_finish(&t);
    return resizes;
}

/* Shrinking asks only the jobs for which the gain may be enough; trials are checked, and then it
   fails if asking all running ones finds another (src/policy/list/shrink.c). */
Test(resize_scan, shrinking) {
    uint32_t shrinks = 0;
    for (int number = 1; number <= 72; number++)
        shrinks += count_resizes(number, ", resize: true, shrink: true") !=
                   count_resizes(number, ", resize: true");
    cr_assert(shrinks > 20, "only %u scenarios with shrinking", shrinks);
}
