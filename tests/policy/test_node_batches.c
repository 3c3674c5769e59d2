/* Jobs whose speeds change together are brought up to date in one sweep (src/engine/nodes.c), to
   the same nanosecond as one by one. Jobs with periodic checkpoints are always taken one by one;
   with an interval longer than any job the checkpoints change nothing else. */
#include "../support/scenario.h"
#include "../support/temp_dir.h"
#include "engine/observer.h"
#include "engine/sim.h"

#include <criterion/criterion.h>

TestSuite(node_batches, .init = temp_dir_enter, .fini = temp_dir_leave);

static void run(struct trial *t, struct trial_options *o, int number, const char *interval) {
    static const char *const nodes[] = {
        "[{gpu: g, gpus: 40}]", "[{count: 3, gpu: g, gpus: 8}]",
        "[{gpu: g, gpus: 5}, {gpu: g, gpus: 16, mtbf: 3h, mttr: 1h}]"};
    static const char *const sizes[] = {"[1]", "[1, 2]", "[1, 1, 1, 9]"};
    static const double slowdowns[] = {0.001, 0.02, 0.5, 4};
    *o = (struct trial_options){.strict = true};
    trial_run(t, o,
              "name: n\n"
              "horizon: drain\n"
              "seed: %d\n"
              "noise: {speed_sigma: %g}\n"
              "engine: {coalesce: %s}\n"
              "cluster:\n"
              "  gpu_types: [{name: g, idle_w: 50, tdp_w: 400}]\n"
              "  nodes: %s\n"
              "  interference: {slowdown_per_neighbour: %g}\n"
              "workload:\n"
              "  kind: poisson\n"
              "  load: 0.8\n"
              "  rigid: {k: %s}\n"
              "  sizes: {law: %s, mean: 15min}\n"
              "  until: {jobs: 200}\n"
              "  rigid_costs: {start_s: %d, checkpoint_interval_s: %s}\n"
              "policy: {name: %s}\n",
              number, number % 2 ? 0 : 0.3, number % 3 ? "true" : "false", nodes[number % 3],
              slowdowns[number % 4], sizes[number / 3 % 3], number % 5 ? "exponential" : "constant",
              number % 7 ? 0 : 20, interval, number % 2 ? "fcfs" : "pollux");
    trial_must_succeed(t);
}

/* On the third cluster failures take all work with either. */
Test(node_batches, as_one_by_one) {
    for (int number = 1; number <= 36; number++) {
        struct trial_options options_joined, options_single;
        struct trial joined, single;
        run(&joined, &options_joined, number, "0");
        run(&single, &options_single, number, "1000000");
        cr_assert_eq(joined.job_count, single.job_count);
        for (size_t i = 0; i < joined.job_count; i++) {
            const struct trial_job *x = &joined.jobs[i], *y = &single.jobs[i];
            cr_assert(x->start_ns == y->start_ns && x->finish_ns == y->finish_ns &&
                          x->energy_j == y->energy_j && x->lost_s == y->lost_s,
                      "scenario %d, job %s: until %lld and %lld ns", number, x->id,
                      (long long)x->finish_ns, (long long)y->finish_ns);
        }
        trial_finish(&joined);
        trial_finish(&single);
    }
}

/* Jobs in the order in which they end. */
struct noted_ends {
    uint32_t jobs[16];
    size_t count;
};

static void note_end(void *context, const struct sim *sim, const struct event *event) {
    struct noted_ends *ends = context;
    (void)sim;
    if (event->kind == EVENT_FINISH && ends->count < 16)
        ends->jobs[ends->count++] = event->payload;
}

/* Of 16 equal jobs even and odd ones are of a model each. */
static void run_equal(struct noted_ends *ends, const char *even, const char *odd) {
    static const char models[] =
        "models:\n"
        "  - {name: joins, efficiency: none, batches: [1], gpus: {g: {lookup: [{k: 1, batch: 1, "
        "throughput_samples_s: 1, power_w_per_gpu: 100}], evidence: assumed, source: by hand}}}\n"
        "  - {name: alone, efficiency: none, batches: [1], checkpoint_interval_s: 1000000, gpus: {g: "
        "{lookup: [{k: 1, batch: 1, throughput_samples_s: 1, power_w_per_gpu: 100}], evidence: "
        "assumed, source: by hand}}}\n";
    const struct observer watch = {.context = ends, .event = note_end};
    struct trial t;
    struct str jobs = {0};
    str_add(&jobs, "job_id,submit_s,model,work_samples\n");
    for (int j = 0; j < 16; j++)
        str_addf(&jobs, "j%d,0,%s,1000\n", j, j % 2 ? odd : even);
    *ends = (struct noted_ends){.count = 0};
    trial_run(
        &t,
        &(struct trial_options){
            .jobs = jobs.text, .models = models, .strict = true, .watch = &watch},
        "name: n\nhorizon: drain\nmodels: models.yaml\npolicy: {name: fcfs}\n"
        "cluster: {gpu_types: [{name: g, idle_w: 50, tdp_w: 400}], nodes: [{count: 2, gpu: g, "
        "gpus: 8}], interference: {slowdown_per_neighbour: 0.5}}\n"
        "workload: {kind: trace, file: jobs.csv}\n");
    trial_must_succeed(&t);
    for (size_t j = 0; j < t.job_count; j++) /* 8 on a node: 1 + 7 x 0.5 */
        cr_expect_eq(t.jobs[j].finish_ns, 4500000000000);
    str_finish(&jobs);
    trial_finish(&t);
}

/* Two nodes full of equal jobs, which all end at one nanosecond: in the same order whether all,
   none or every second one of them are taken one by one. */
Test(node_batches, equal_ends_in_order) {
    static const char *const models[][2] = {
        {"alone", "alone"}, {"joins", "joins"}, {"joins", "alone"}, {"alone", "joins"}};
    struct noted_ends single, ends;
    run_equal(&single, models[0][0], models[0][1]);
    cr_assert_eq(single.count, 16);
    for (size_t i = 1; i < sizeof models / sizeof *models; i++) {
        run_equal(&ends, models[i][0], models[i][1]);
        cr_assert_eq(ends.count, 16);
        for (size_t e = 0; e < 16; e++)
            cr_expect_eq(ends.jobs[e], single.jobs[e],
                         "%s and %s: end %zu is that of job %u, not %u", models[i][0], models[i][1],
                         e, ends.jobs[e], single.jobs[e]);
    }
}
