/* What happened before the end of the warm-up does not count: each metric that is summed or
   remembered on the way. A computing GPU of these clusters draws 400 W, one in set-up 90 W, a free
   one 50 W. */
#include "../support/scenario.h"
#include "../support/temp_dir.h"

#include <criterion/criterion.h>
#include <math.h>

TestSuite(warmup, .init = temp_dir_enter, .fini = temp_dir_leave);

static void expect_near(double found, double expected, const char *what) {
    cr_expect((isnan(found) && isnan(expected)) ||
                  fabs(found - expected) <= 1e-12 + 1e-9 * fabs(expected),
              "%s is %.17g, not %.17g", what, found, expected);
}

/* Four GPUs, first come first served. a holds three until 10 and b waits for two of them from 1 on;
   c takes three at 20 and d waits for two from 26 to 30. GPUs free while somebody waits: one from 1
   to 10, one from 26 to 30. Power: 0..10  3 computing, 1 free: 1250 W    10..14  2 and 2 (b): 900
   W    14..20  4 free: 200 W 20..30 3 and 1 (c): 1250 W            30..32  2 and 2 (d): 900 W With
   a warm-up of 27 (30, 31) the highest that still held is 1250 (900, 900) W. */
Test(warmup, fragmentation_and_peak_power) {
    static const struct {
        const char *warmup;
        double frag_gpu_s, power_max_w, energy_j, submitted;
    } cases[] = {{"0", 9 + 4, 1250, 12500 + 3600 + 1200 + 12500 + 1800, 4},
                 {"4", 6 + 4, 1250, 7500 + 3600 + 1200 + 12500 + 1800, 2},
                 {"12", 4, 1250, 1800 + 1200 + 12500 + 1800, 2},
                 {"27", 3, 1250, 3 * 1250 + 1800, 0},
                 {"30", 0, 900, 1800, 0},
                 {"31", 0, 900, 900, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trial t;
        trial_run(&t,
                  &(struct trial_options){.jobs = "job_id,submit_s,gpus,duration_s\n"
                                                  "a,0,3,10\n"
                                                  "b,1,2,4\n"
                                                  "c,20,3,10\n"
                                                  "d,26,2,2\n"},
                  "name: n\nhorizon: drain\npolicy: {name: fcfs}\n" TRIAL_CLUSTER(
                      4) "workload: {kind: trace, file: jobs.csv, warmup: %s}\n",
                  cases[i].warmup);
        trial_must_succeed(&t);
        expect_near(t.summaries->frag_gpu_h * 3600, cases[i].frag_gpu_s, "frag_gpu_h in s");
        expect_near(t.summaries->power_max_w, cases[i].power_max_w, "power_max_w");
        expect_near(t.summaries->energy_kwh * 3.6e6, cases[i].energy_j, "energy_kwh in J");
        expect_near(t.summaries->jobs_submitted, cases[i].submitted, "jobs_submitted");
        expect_near(t.summaries->sim_s, 32 - atof(cases[i].warmup), "sim_s");
        trial_finish(&t);
    }
}

/* A peak of the warm-up alone: 4 GPUs computing until 10, one from 20 to 25. */
Test(warmup, peak_power_falls) {
    static const double peaks[][2] = {{0, 1600}, {9, 1600}, {10, 550}, {15, 550}};
    for (size_t i = 0; i < sizeof peaks / sizeof *peaks; i++) {
        struct trial t;
        trial_run(&t,
                  &(struct trial_options){
                      .jobs = "job_id,submit_s,gpus,duration_s\na,0,4,10\nb,20,1,5\n"},
                  "name: n\nhorizon: drain\npolicy: {name: fcfs}\n" TRIAL_CLUSTER(
                      4) "workload: {kind: trace, file: jobs.csv, warmup: %g}\n",
                  peaks[i][0]);
        trial_must_succeed(&t);
        expect_near(t.summaries->power_max_w, peaks[i][1], "power_max_w");
        trial_finish(&t);
    }
}

struct counts {
    double jobs, nodes, lost_gpu_h;
};

static struct counts failures_until(const char *horizon, const char *warmup) {
    struct trial t;
    trial_run(
        &t,
        &(struct trial_options){.jobs =
                                    "job_id,submit_s,gpus,duration_s\na,0,1,5000\nb,0,1,9000000\n"},
        "name: n\n"
        "seed: 7\n"
        "horizon: %s\n"
        "policy: {name: fcfs}\n"
        "cluster: {gpu_types: [{name: g, idle_w: 50, ctx_w: 90, tdp_w: 400}], nodes: [{count: 2, gpu: g, gpus: 1, mtbf: 1000, mttr: 100}]}\n"
        "workload: {kind: trace, file: jobs.csv, warmup: %s, rigid_costs: {checkpoint_interval_s: 50}}\n",
        horizon, warmup);
    trial_must_succeed(&t);
    struct counts counts = {t.summaries->job_failures, t.summaries->node_failures,
                            t.summaries->lost_gpu_h};
    trial_finish(&t);
    return counts;
}

/* Nothing but the horizon and the warm-up changes: what was counted up to 10,000 s and what is
   counted after it make up the whole, and both parts are there. */
Test(warmup, failures) {
    struct counts before = failures_until("10000", "0"), after = failures_until("30000", "10000"),
                  whole = failures_until("30000", "0");
    cr_expect(before.jobs >= 5 && after.jobs >= 5, "%g and %g job failures", before.jobs,
              after.jobs);
    cr_expect(before.nodes >= before.jobs && after.nodes >= after.jobs);
    expect_near(after.jobs, whole.jobs - before.jobs, "job_failures");
    expect_near(after.nodes, whole.nodes - before.nodes, "node_failures");
    cr_expect(after.lost_gpu_h > 0 && before.lost_gpu_h > 0);
    expect_near(after.lost_gpu_h, whole.lost_gpu_h - before.lost_gpu_h, "lost_gpu_h");
}

/* A drained run that is over before its warm-up is: nothing is measured, not the warm-up instead.
 */
Test(warmup, over_before_it_ends) {
    struct trial t;
    trial_run(
        &t, &(struct trial_options){.jobs = "job_id,submit_s,gpus,duration_s\na,0,1,10\nb,1,2,4\n"},
        "name: n\nhorizon: drain\ncarbon_g_per_kwh: 100\npolicy: {name: fcfs}\n" TRIAL_CLUSTER(
            2) "workload: {kind: trace, file: jobs.csv, warmup: 1h}\n");
    trial_must_succeed(&t);
    const struct summary *s = t.summaries;
    const double zero[] = {s->sim_s,           s->jobs_submitted, s->energy_kwh,  s->energy_job_kwh,
                           s->energy_idle_kwh, s->frag_gpu_h,     s->power_max_w, s->setup_gpu_h,
                           s->work_done_gpu_h, s->co2_kg};
    const double none[] = {s->throughput_jobs_per_h, s->jct_mean_s, s->util_alloc, s->power_mean_w,
                           s->makespan_s};
    for (size_t i = 0; i < sizeof zero / sizeof *zero; i++)
        cr_expect_eq(zero[i], 0, "figure %zu is %g", i, zero[i]);
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        cr_expect(isnan(none[i]), "figure %zu is %g", i, none[i]);
    trial_finish(&t);
}

/* Three jobs of ten minutes of one GPU each, whose model fits the memory of no GPU: the samples of
   their work are unknown, what is left of it is not. */
Test(warmup, work_of_rejected_jobs_is_unfinished) {
    static const char models[] =
        "models: [{name: m, m0: 9, phi: 1, mem0_gib: 100, batches: [1], gpus: {g: {evidence: assumed, source: by hand, a_s: 0.1, c_s: 0.1, gamma: 1, alpha_s: 0, p0_w: 60, pmax_w: 400}}}]\n";
    struct trial t;
    trial_run(
        &t, &(struct trial_options){.models = models},
        "name: n\n"
        "horizon: 1h\n"
        "models: models.yaml\n"
        "policy: {name: fcfs}\n"
        "cluster: {gpu_types: [{name: g, idle_w: 50, tdp_w: 400, memory_gib: 80}], nodes: [{gpu: g, gpus: 2}]}\n"
        "workload: {kind: periodic, period: 60, sizes: {law: constant, mean: 10min}, until: {jobs: 3}}\n");
    trial_must_succeed(&t);
    expect_near(t.summaries->jobs_rejected, 3, "jobs_rejected");
    expect_near(t.summaries->work_submitted_gpu_h * 3600, 1800, "work_submitted_gpu_h in s");
    expect_near(t.summaries->work_unfinished_gpu_h * 3600, 1800, "work_unfinished_gpu_h in s");
    expect_near(t.summaries->work_done_gpu_h, 0, "work_done_gpu_h");
    trial_finish(&t);
}
