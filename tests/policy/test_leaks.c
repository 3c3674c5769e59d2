/* What a simulation allocates it gives back, also if the policy fails it. With sanitizers mallinfo2
   counts nothing, and they look for leaks themselves. */
#include "../support/scenario.h"
#include "../support/temp_dir.h"

#include <criterion/criterion.h>
#include <malloc.h>
#include <math.h>
#include <stdlib.h>

#define WINDOWS    40
#define RUNS       5  /* in a window */
#define LEAST_LEAK 16 /* bytes a run: a malloc of one byte takes more */

/* Several kinds of queues, keys that age and are due again, jobs that grow and shrink, nodes that
   fail, a warm-up. */
static const char yaml[] =
    "name: t\n"
    "horizon: drain\n"
    "seed: 5\n"
    "cluster: {gpu_types: [{name: a100, idle_w: 60, ctx_w: 98, tdp_w: 400, memory_gib: 80}],\n"
    "          nodes: [{gpu: a100, gpus: 8, mtbf: 20h, mttr: 1h}]}\n"
    "models: %s/configs/models/eas-sim.yaml\n"
    "workload:\n"
    "  kind: poisson\n"
    "  warmup: 1h\n"
    "  rate_per_s: 0.002\n"
    "  mix: [{model: vit-base-fp32}, {model: resnet50-fp32}]\n"
    "  sizes: {law: lognormal, mean: 3h, cv: 1.5}\n"
    "  k: [1, 2, 4]\n"
    "  users: 4\n"
    "  deadlines: {share: 0.5, slack: [1.5, 4]}\n"
    "  until: {jobs: 40}\n"
    "policy: {name: %s, params: {resize: true, shrink: true}}\n";

static size_t held_bytes(void) {
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

/* The growth of the window that grew least: caches grow in the first ones, a leak in all. */
static double least_growth(const char *scenario, const char *jobs, int status) {
    double least = INFINITY;
    for (int window = 0; window < WINDOWS && least >= LEAST_LEAK; window++) {
        size_t before = held_bytes();
        for (int i = 0; i < RUNS; i++) {
            struct trial trial;
            trial_run(&trial, &(struct trial_options){.jobs = jobs}, "%s", scenario);
            cr_assert_eq(trial.status, status, "%s: %s", scenario, trial.failure);
            trial_finish(&trial);
        }
        least = fmin(least, ((double)held_bytes() - (double)before) / RUNS);
    }
    return least;
}

Test(leaks, list_policies) {
    static const char *const policies[] = {"pollux", "zeus", "hades", "aurachronos"};
    temp_dir_enter();
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
        struct str scenario = {0};
        str_addf(&scenario, yaml, getenv("EASIM_SOURCE"), policies[i]);
        double bytes = least_growth(scenario.text, NULL, 0);
        cr_expect(bytes < LEAST_LEAK, "%s: %g bytes a run", policies[i], bytes);
        str_finish(&scenario);
    }
    temp_dir_leave();
}

/* The run ends at its first decision, which has started a job on three nodes. */
Test(leaks, failed_decision) {
    temp_dir_enter();
    double bytes = least_growth(
        "name: t\n"
        "horizon: drain\n"
        "policy: {name: give_up, params: {how: says_why}}\n"
        "cluster: {gpu_types: [{name: g, idle_w: 50, ctx_w: 90, tdp_w: 400}], nodes: [{count: 3, gpu: g, gpus: 1}]}\n" TRIAL_JOBS,
        "job_id,submit_s,gpus,duration_s\na,0,3,10\n", ERROR_RUN);
    cr_expect(bytes < LEAST_LEAK, "%g bytes a run", bytes);
    temp_dir_leave();
}

/* The horizon comes while jobs run on several nodes, share a GPU, wait and write checkpoints, GPUs
   sleep and wake up, nodes have failed, and series go on. */
Test(leaks, cut_off) {
    static const char jobs[] =
        "job_id,submit_s,user,gpus,duration_s,gpu_share,deadline_s\n"
        "wide,0,u,7,90,,\npart,1,v,1,90,0.3,\nother,2,u,1,90,0.4,200\nsoon,3,w,2,4,,9\n"
        "next,50,v,5,90,,\nthen,51,w,9,90,,150\nlast,52,u,3,90,,140\n";
    temp_dir_enter();
    temp_file_write_text("s.csv", "time_s,power_w\n0,5000\n30,4000\n70,6000\n");
    for (int horizon_s = 10; horizon_s <= 60; horizon_s += 10) {
        struct str scenario = {0};
        str_addf(
            &scenario,
            "name: t\nhorizon: %d\nseed: 3\nprice_per_mwh: {file: s.csv, column: power_w}\n"
            "carbon_g_per_kwh: {file: s.csv, column: power_w}\n"
            "policy: {name: aurachronos, params: {resize: true}}\n"
            "cluster: {power_cap_w: {file: s.csv, period: 110s}, interference: {slowdown_per_neighbour: 0.1},"
            " gpu_types: [{name: g, idle_w: 50, ctx_w: 90, tdp_w: 400, sleep_w: 5, sleep_after: 7s, wake_s: 9s}],"
            " nodes: [{count: 6, gpu: g, gpus: 2, mtbf: 60, mttr: 20}]}\n"
            "workload: {kind: trace, file: jobs.csv, warmup: 5s, rigid_costs: {start_s: 1, restart_s: 2, checkpoint_s: 8}}\n",
            horizon_s);
        double bytes = least_growth(scenario.text, jobs, 0);
        cr_expect(bytes < LEAST_LEAK, "until %d: %g bytes a run", horizon_s, bytes);
        str_finish(&scenario);
    }
    temp_dir_leave();
}
