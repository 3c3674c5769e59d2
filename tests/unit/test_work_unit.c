/* What work is counted in: models without k = 1, and sizes that are the target of a model. */
#include "../support/scenario.h"
#include "../support/temp_dir.h"
#include "workload/stream.h"

#include <criterion/criterion.h>
#include <math.h>

TestSuite(work_unit, .init = temp_dir_enter, .fini = temp_dir_leave);

/* A loaded scenario with the jobs of its first replication. */
struct drawn {
    struct trial trial;
    struct trial_options options;
    struct workload w;
};

/* Nodes: 2 of 4 GPUs of g (16 GiB), then 4 of one GPU of h. */
static void draw_jobs(struct drawn *d, const char *models, const char *workload, const char *jobs) {
    char yaml[2048];
    struct problems problems = {0};
    *d = (struct drawn){.options = {.models = models, .jobs = jobs}};
    snprintf(yaml, sizeof yaml,
             "name: n\n"
             "horizon: drain\n"
             "seed: 7\n"
             "models: models.yaml\n"
             "cluster: {gpu_types: [{name: g, idle_w: 50, tdp_w: 400, memory_gib: 16}, {name: h, "
             "idle_w: 50, tdp_w: 400, memory_gib: 16}], nodes: [{count: 2, gpu: g, gpus: 4}, "
             "{count: 4, gpu: h, gpus: 1}]}\n"
             "policy: {name: fcfs}\nworkload: %s\n",
             workload);
    trial_load(&d->trial, &d->options, yaml);
    trial_must_succeed(&d->trial);
    cr_assert_eq(study_generate(&d->trial.study, 0, &d->w, &problems), 0);
    problems_finish(&problems);
}

static void release_jobs(struct drawn *d) {
    workload_finish(&d->w);
    trial_finish(&d->trial);
}

static double rate_of(const struct drawn *d) {
    return arrivals_rate_per_s(d->trial.study.source.streams.at, &d->w);
}

#define SOURCE "evidence: assumed, source: by hand"
#define POINT(k, b, rate) \
    "{k: " #k ", batch: " #b ", throughput_samples_s: " #rate ", power_w_per_gpu: 100}"

/* No k = 1. On g 5 samples/s of a GPU with k = 2 (b = 8 is the better one), 4 with k = 4; on h, of
   nodes with one GPU, 2 with k = 2, measured across nodes. */
static const char pairs[] =
    "models: [{name: m, m0: 1000, phi: 1, batches: [4, 8], gpus: {g: {" SOURCE
    ", lookup: [" POINT(2, 4, 8) ", " POINT(2, 8, 10) ", " POINT(4, 4, 12) ", " POINT(
        4, 8, 16) "]}, h: {" SOURCE
                  ", lookup: [{k: 2, batch: 4, across_nodes: true, throughput_samples_s: 4, "
                  "power_w_per_gpu: 100}]}}}]\n";

/* A job of 100 reference GPU-seconds has 100 x 5 samples; capacity is 8 x 5 + 4 x 2 samples/s. With
   k = 4 alone: 100 x 4, and 8 x 4, since h has no k = 4. */
Test(work_unit, without_one_gpu) {
    static const struct {
        const char *k;
        double goodput, capacity;
    } cases[] = {{"[4, 2]", 5, 48}, {"[2, 3, 4, 8]", 5, 48}, {"4", 4, 32}};
    for (size_t i = 0; i < 3; i++) {
        char workload[256];
        struct drawn d;
        snprintf(workload, sizeof workload,
                 "{kind: poisson, load: 0.5, k: %s, until: {jobs: 3}, "
                 "sizes: {law: constant, mean: 100}}",
                 cases[i].k);
        draw_jobs(&d, pairs, workload, NULL);
        cr_expect_float_eq(d.w.jobs.at[0].work, 100 * cases[i].goodput, 1e-9, "case %zu", i);
        cr_expect_eq(d.w.jobs.at[0].reference_gpu_s, 100);
        double rate = 0.5 * cases[i].capacity / (100 * cases[i].goodput);
        cr_expect_float_eq(rate_of(&d), rate, 1e-12, "case %zu: %g, not %g", i, rate_of(&d), rate);
        release_jobs(&d);
    }
}

/* k = 1 wherever it is: with the same points and k = 1 on h alone, 3 samples/s, that is the unit,
   whatever the stream allows; with one on g, g's. */
Test(work_unit, one_gpu_where_there_is_one) {
    static const char on_h[] =
        "models: [{name: m, m0: 1000, phi: 1, batches: [4], gpus: {g: {" SOURCE
        ", lookup: [" POINT(2, 4, 8) "]}, h: {" SOURCE ", lookup: [" POINT(1, 4, 3) "]}}}]\n";
    static const char on_both[] =
        "models: [{name: m, m0: 1000, phi: 1, batches: [4], gpus: {g: {" SOURCE
        ", lookup: [" POINT(1, 4, 7) ", " POINT(2, 4, 8) "]}, h: {" SOURCE
                                                         ", lookup: [" POINT(1, 4, 3) "]}}}]\n";
    static const char workload[] =
        "{kind: periodic, period: 1, k: 2, until: {jobs: 1}, sizes: {law: constant, mean: 100}}";
    struct drawn d;
    draw_jobs(&d, on_h, workload, NULL);
    cr_expect_float_eq(d.w.jobs.at[0].work, 300, 1e-9);
    release_jobs(&d);
    draw_jobs(&d, on_both, workload, NULL);
    cr_expect_float_eq(d.w.jobs.at[0].work, 700, 1e-9);
    release_jobs(&d);
}

/* Rows of a log fix their k: the least of them is allowed, those of other models are not. Memory
   keeps b = B / k off k = 2 (1 + 1 x 32 / 2 = 17 GiB), so k = 4 is the least that runs: t = 1 + 0.5
   x 8, 32/5 / 4 = 1.6 samples/s of a GPU. */
Test(work_unit, of_a_log) {
    static const char models[] =
        "models: [{name: m, m0: 1000, phi: 1, global_batches: 32, mem0_gib: 1, mem1_gib: 1, gpus: "
        "{g: {a_s: 1, c_s: 0.5, gamma: 1, alpha_s: 0, p0_w: 100, pmax_w: 100, " SOURCE "}}},\n"
        "  {name: n, m0: 1000, phi: 1, batches: 4, gpus: {g: {" SOURCE
        ", lookup: [" POINT(3, 4, 6) "]}}}]\n";
    static const char jobs[] = "job_id,submit_s,model,work_samples,gpus\n"
                               "a,0,m,320,8\nb,1,m,320,4\nc,2,m,320,2\nd,3,n,60,3\n";
    struct drawn d;
    draw_jobs(&d, models, "{kind: trace, file: jobs.csv}", jobs);
    for (int i = 0; i < 3; i++)
        cr_expect_float_eq(d.w.jobs.at[i].reference_gpu_s, 320 / 1.6, 1e-9, "job %d", i);
    cr_expect_float_eq(d.w.jobs.at[3].reference_gpu_s, 60 / 2.0, 1e-9);
    release_jobs(&d);
}

/* mean: target: work of mean samples_to_target of the job's own model, with the scatter of the law;
   the load counts that work against the capacity. */
Test(work_unit, sizes_by_target) {
    static const char models[] =
        "models: [{name: m, m0: 1000, phi: 1, batches: [4], samples_to_target: 6000, gpus: {g: "
        "{" SOURCE ", lookup: [" POINT(
            2, 4,
            8) "]}}},\n"
               "  {name: n, efficiency: none, batches: [4], samples_to_target: 100, gpus: {g: {" SOURCE
               ", lookup: [" POINT(1, 4, 5) "]}}}]\n";
    struct drawn d;
    draw_jobs(&d, models,
              "{kind: poisson, load: 0.5, k: [1, 2], until: {jobs: 20}, sizes: {law: constant, "
              "mean: target}}",
              NULL);
    for (size_t i = 0; i < 20; i++) {
        bool first = d.w.jobs.at[i].model == 0;
        cr_expect_eq(d.w.jobs.at[i].work, first ? 6000 : 100);
        cr_expect_float_eq(d.w.jobs.at[i].reference_gpu_s, first ? 1500 : 20, 1e-9);
    }
    /* half m, half n: 1500 and 20 GPU-seconds a job, on 8 GPUs */
    cr_expect_float_eq(rate_of(&d), 0.5 * 8 / 760, 1e-12);
    release_jobs(&d);
    draw_jobs(
        &d, models,
        "{kind: poisson, rate_per_s: 1, k: 2, mix: [{model: m}], until: {jobs: 20000}, sizes: "
        "{law: lognormal, mean: target, cv: 1}}",
        NULL);
    double sum = 0;
    for (size_t i = 0; i < 20000; i++)
        sum += d.w.jobs.at[i].work;
    /* 99 % of a mean of 20,000: 2.58 x cv / sqrt(n) */
    cr_expect(fabs(sum / 20000 - 6000) <= 2.58 * 6000 / sqrt(20000), "mean %g", sum / 20000);
    release_jobs(&d);
}
