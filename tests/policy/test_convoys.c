/* Jobs whose speeds change together are brought up to date in one sweep (src/engine/convoys.c), to
   the same nanosecond as one by one. Jobs with periodic checkpoints are always taken one by one;
   with an interval longer than any job the checkpoints change nothing else. */
#include "../support/scenario.h"
#include "../support/temp_dir.h"

#include <criterion/criterion.h>

TestSuite(convoys, .init = temp_dir_enter, .fini = temp_dir_leave);

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
Test(convoys, as_one_by_one) {
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
