/* Power limits: speed, energy and choice worked by hand, published figures, and policies that see
 * none of it. */
#include "../support/scenario.h"
#include "../support/temp_dir.h"
#include "metrics/summary.h"

#include <criterion/criterion.h>
#include <math.h>

TestSuite(power_limits, .init = temp_dir_enter, .fini = temp_dir_leave);

/* 1 sample/s and 300 W on one GPU, 1.6 on two. Under 200 W: 1.1 times the time, and 200 W. */
#define LOOKUP \
    "models: [{name: m, m0: 1000000, phi: 1, batches: [1], gpus: {g: {evidence: assumed, source: by hand, lookup: [{k: 1, batch: 1, throughput_samples_s: 1, power_w_per_gpu: 300}, {k: 2, batch: 1, throughput_samples_s: 1.6, power_w_per_gpu: 300}]"
#define LEVELS \
    ", power_limits: {levels: [{power_limit_w: 100, time_ratio: 2, power_ratio: 0.3, energy_ratio: 0.6, configurations: 1}, {power_limit_w: 150, time_ratio: 1.25, power_ratio: 0.5, energy_ratio: 0.625, configurations: 1}, {power_limit_w: 200, time_ratio: 1.1, power_ratio: 0.6666666666666667, energy_ratio: 0.7333333333333333, configurations: 1}, {power_limit_w: 400, time_ratio: 1, power_ratio: 1, energy_ratio: 1, configurations: 1}]}"
#define END     "}}}]\n"
#define LIMITED LOOKUP LEVELS END
#define ONE_JOB "job_id,submit_s,work_samples,model\na,0,100,m\n"

static double limited_gpu_h(const struct trial *t) {
    return summary_value(&t->summaries[0], (unsigned)summary_find("limited_gpu_h"));
}

static void run(struct trial *t, const char *models, const char *jobs, const char *cluster,
                const char *policy) {
    trial_run(
        t,
        &(struct trial_options){.jobs = jobs, .models = models, .strict = true, .decisions = true},
        "name: n\nhorizon: drain\nmodels: models.yaml\npolicy: %s\n%s" TRIAL_JOBS, policy, cluster);
}

/* 100 samples on one GPU. Without limit T = 100 s, E = 30 kJ; 200 W: 110 s, 200 W, 22 kJ;
   150 W: 125 s, 150 W, 18.75 kJ; 100 W: 200 s, 90 W, 18 kJ. E T: 3.000, 2.420, 2.344, 3.600 MJs. A
   level at tdp_w is none. */
Test(power_limits, one_job) {
    static const struct {
        const char *policy;
        double time_s, energy_j;
        const char *limit; /* the cell of decisions.csv */
    } cases[] = {
        {"{name: zeus, params: {power_limits: true}}", 125, 18750, "150.0"},
        {"{name: zeus, params: {power_limits: true, edp_exponent: 0}}", 200, 18000, "100.0"},
        {"{name: zeus, params: {power_limits: true, edp_exponent: 2}}", 110, 22000, "200.0"},
        {"{name: zeus, params: {power_limits: true, edp_exponent: 4}}", 100, 30000, ""},
        {"{name: zeus}", 100, 30000, ""},
        {"{name: charon, params: {power_limits: true}}", 125, 18750, "150.0"},
        {"{name: charon, params: {power_limits: true, base: pollux}}", 100, 30000, ""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trial t;
        char row[80];
        run(&t, LIMITED, ONE_JOB, TRIAL_CLUSTER(1), cases[i].policy);
        trial_must_succeed(&t);
        const struct trial_job *job = trial_find(&t, "a");
        cr_expect_float_eq((double)job->finish_ns / 1e9, cases[i].time_s, 1e-8, "%s",
                           cases[i].policy);
        cr_expect_float_eq(job->energy_j, cases[i].energy_j, 1e-4, "%s: %g J", cases[i].policy,
                           job->energy_j);
        cr_expect_float_eq(limited_gpu_h(&t), cases[i].limit[0] ? cases[i].time_s / 3600 : 0, 1e-9,
                           "%s", cases[i].policy);
        snprintf(row, sizeof row, ",start,a,g,1,1.0,ok,%s\n", cases[i].limit);
        cr_expect(strstr(t.decisions_csv.text, row), "%s: no %s in %s", cases[i].policy, row,
                  t.decisions_csv.text);
        trial_finish(&t);
    }
}

/* Two GPUs, 7 s of set-up at 90 W: the least E T of all (k, limit) by a plain search over the
 * figures above. */
Test(power_limits, least_edp_of_all) {
    static const double time_ratios[] = {1, 1.1, 1.25, 2}, powers_w[] = {300, 200, 150, 90},
                        rates[] = {1, 1.6};
    double best = INFINITY, best_s = 0, best_j = 0;
    for (int k = 1; k <= 2; k++)
        for (int l = 0; l < 4; l++) {
            double computing_s = 100 / rates[k - 1] * time_ratios[l];
            double time_s = 7 + computing_s, energy_j = k * (90 * 7 + powers_w[l] * computing_s);
            if (energy_j * time_s < best) {
                best = energy_j * time_s;
                best_s = time_s;
                best_j = energy_j;
            }
        }
    struct trial t;
    struct str models = {0};
    str_add(&models, LIMITED);
    char *at = strstr(models.text, "phi: 1, ");
    cr_assert(at);
    struct str with_start = {0};
    str_addf(&with_start, "%.*sstart_s: 7, %s", (int)(at - models.text), models.text, at);
    run(&t, with_start.text, ONE_JOB, TRIAL_CLUSTER(2),
        "{name: zeus, params: {power_limits: true}}");
    trial_must_succeed(&t);
    cr_expect_float_eq((double)trial_find(&t, "a")->finish_ns / 1e9, best_s, 1e-8);
    cr_expect_float_eq(trial_find(&t, "a")->energy_j, best_j, 1e-4);
    trial_finish(&t);
    str_finish(&models);
    str_finish(&with_start);
}

#define CAPPED(gpus, cap) \
    "cluster: {gpu_types: [{name: g, idle_w: 50, ctx_w: 90, tdp_w: 400}], nodes: [{gpu: g, gpus: " #gpus \
    "}], power_cap_w: " #cap "}\n"

/* One GPU that may draw 140 W: only the level of 100 W fits (ctx_w 90 W counts too), and without
   levels nothing does, so that the job is rejected at submission. At 180 W the fastest that fits is
   150 W. */
Test(power_limits, charon_starts_lower) {
    static const struct {
        const char *policy, *cluster;
        double finish_s; /* -1: rejected */
    } cases[] = {
        {"{name: charon, params: {power_limits: true}}", CAPPED(1, 140), 200},
        {"{name: charon}", CAPPED(1, 140), -1},
        {"{name: charon, params: {power_limits: true}}", CAPPED(1, 89), -1},
        {"{name: charon, params: {power_limits: true, base: pollux}}", CAPPED(1, 180), 125},
        {"{name: charon, params: {power_limits: true, base: pollux}}", CAPPED(1, 300), 100}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trial t;
        run(&t, LIMITED, ONE_JOB, cases[i].cluster, cases[i].policy);
        trial_must_succeed(&t);
        const struct trial_job *job = trial_find(&t, "a");
        if (cases[i].finish_s < 0)
            cr_expect_eq(job->state, (uint32_t)EASIM_JOB_REJECTED, "case %zu", i);
        else
            cr_expect_float_eq((double)job->finish_ns / 1e9, cases[i].finish_s, 1e-8, "case %zu",
                               i);
        trial_finish(&t);
    }
}

/* x holds one of two GPUs and 400 W of 550 until 100 s; a starts at 1 s at 150 W, 0.8 samples/s. At
   100 s 79.2 of its 400 samples are done and 401 s are left; without limit it would be 320.8 s. Two
   GPUs may not draw 600 W, but 200 W each, 320.8 / 1.6 x 1.1 = 220.55 s: that is best, and saves
   more than 10 % and restart_s = 0. */
Test(power_limits, resize_to_another_level) {
    static const char jobs[] = "job_id,submit_s,gpus,duration_s,utilization,work_samples,model\n"
                               "x,0,1,100,1,,\n"
                               "a,1,,,,400,m\n";
    struct trial t;
    run(&t, LIMITED, jobs, CAPPED(2, 550),
        "{name: charon, params: {power_limits: true, base: pollux, resize: true}}");
    trial_must_succeed(&t);
    const struct trial_job *a = trial_find(&t, "a");
    double left_s = (400 - 99 * 0.8) / 1.6 * 1.1;
    cr_expect(a->resizes == 1 && a->k == 2, "%u resizes, k %u", a->resizes, a->k);
    cr_expect_float_eq((double)a->finish_ns / 1e9, 100 + left_s, 1e-8);
    cr_expect_float_eq(a->energy_j, 99 * 150 + left_s * 2 * 200, 1e-3);
    cr_expect_float_eq(limited_gpu_h(&t), (99 + 2 * left_s) / 3600, 1e-9);
    cr_expect(strstr(t.decisions_csv.text, ",resize,a,g,2,1.0,ok,200.0\n"), "%s",
              t.decisions_csv.text);
    trial_finish(&t);
}

/* Policies without the capability, and those that have it and do not use it: all files the same
 * bytes. */
Test(power_limits, nothing_changes_without) {
    static const char *const policies[] = {
        "{name: fcfs}", "{name: pollux, params: {resize: true, shrink: true}}", "{name: hades}",
        "{name: zeus, params: {resize: true}}", "{name: charon}"};
    static const char jobs[] =
        "job_id,submit_s,work_samples,model\na,0,100,m\nb,3,50,m\nc,7,400,m\nd,9,20,m\n";
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
        struct trial with, without;
        run(&without, LOOKUP END, jobs, CAPPED(3, 700), policies[i]);
        run(&with, LIMITED, jobs, CAPPED(3, 700), policies[i]);
        trial_must_succeed(&with);
        trial_must_succeed(&without);
        cr_expect_str_eq(with.decisions_csv.text, without.decisions_csv.text, "%s", policies[i]);
        cr_expect_str_eq(with.jobs_csv.text, without.jobs_csv.text, "%s", policies[i]);
        cr_expect_str_eq(with.summary_csv.text, without.summary_csv.text, "%s", policies[i]);
        cr_expect_eq(limited_gpu_h(&with), 0);
        trial_finish(&with);
        trial_finish(&without);
    }
}

/* Many jobs on two nodes under a cap, with resizes, restarts and failures: the checker adds energy
   up anew after every event. Limits are used, and save energy per work against the same run
   without. */
Test(power_limits, energy_is_conserved) {
    double energy[2];
    for (int on = 0; on < 2; on++) {
        struct trial t;
        trial_run(
            &t, &(struct trial_options){.models = LIMITED, .strict = true},
            "name: n\n"
            "horizon: 5h\n"
            "seed: 3\n"
            "models: models.yaml\n"
            "policy: {name: charon, params: {power_limits: %s, resize: true, shrink: true, resize_interval_s: 30s}}\n"
            "cluster: {gpu_types: [{name: g, idle_w: 50, ctx_w: 90, tdp_w: 400}], power_cap_w: 1500, nodes: [{count: 2, gpu: g, gpus: 4, base_w: 30, cpu_w_per_busy_gpu: 5, mtbf: 2h, mttr: 5min}]}\n"
            "workload: {kind: poisson, rate_per_s: 0.01, k: [1, 2], mix: [{model: m}], sizes: {law: exponential, mean: 5min}}\n",
            on ? "true" : "false");
        trial_must_succeed(&t);
        energy[on] = summary_value(&t.summaries[0], (unsigned)summary_find("energy_per_work_kwh"));
        cr_expect(on ? limited_gpu_h(&t) > 1 : limited_gpu_h(&t) == 0, "%g", limited_gpu_h(&t));
        trial_finish(&t);
    }
    cr_expect_lt(energy[1], energy[0]);
}

/* Published (Zeus, A40, ResNet-50, batch 512, one epoch): 300 W 4122 s and 964 kJ; 175 W 4825 s and
   760 kJ, the least of all limits (E T^0); E T is least at 225 W, 4211 s and 811 kJ. */
Test(power_limits, published_a40) {
    static const struct {
        const char *params, *limit;
        double time_s, energy_kj;
    } cases[] = {{"", "", 4122, 964},
                 {"power_limits: true, edp_exponent: 0", "175.0", 4825, 760},
                 {"power_limits: true", "225.0", 4211, 811}};
    double energy_j[3];
    for (size_t i = 0; i < 3; i++) {
        struct trial t;
        trial_run(
            &t,
            &(struct trial_options){
                .jobs = "job_id,submit_s,work_samples,model\na,0,1281167,resnet50\n",
                .strict = true,
                .decisions = true},
            "name: n\n"
            "horizon: drain\n"
            "models: ${EASIM_SOURCE}/configs/models/zeus-a40.yaml\n"
            "cluster: {gpu_types: [{name: a40, idle_w: 30, tdp_w: 300, memory_gib: 48}], nodes: [{gpu: a40, gpus: 1}]}\n"
            "policy: {name: zeus, params: {%s}}\n" TRIAL_JOBS,
            cases[i].params);
        trial_must_succeed(&t);
        const struct trial_job *job = trial_find(&t, "a");
        char row[80];
        energy_j[i] = job->energy_j;
        snprintf(row, sizeof row, ",start,a,a40,1,512.0,ok,%s\n", cases[i].limit);
        cr_expect(strstr(t.decisions_csv.text, row), "no %s in %s", row, t.decisions_csv.text);
        cr_expect_float_eq((double)job->finish_ns / 1e9, cases[i].time_s, 1);
        cr_expect_float_eq(job->energy_j / 1e3, cases[i].energy_kj, 1);
        trial_finish(&t);
    }
    cr_expect_float_eq(energy_j[1] / energy_j[0], 760.0 / 964, 0.01 * 760 / 964);
}
