/* What a simulation of a list policy allocates it gives back. With sanitizers mallinfo2 counts
   nothing, and they look for leaks themselves. */
#include "../support/scenario.h"
#include "../support/temp_dir.h"

#include <criterion/criterion.h>
#include <malloc.h>
#include <math.h>
#include <stdlib.h>

#define WINDOWS    40
#define RUNS       5  /* in a window */
#define LEAST_LEAK 16 /* bytes a run: a malloc of one byte takes more */

/* Several kinds of queues, keys that age and are due again, jobs that grow and shrink. */
static const char yaml[] =
    "name: t\n"
    "horizon: drain\n"
    "seed: 5\n"
    "cluster: {gpu_types: [{name: a100, idle_w: 60, ctx_w: 98, tdp_w: 400, memory_gib: 80}],\n"
    "          nodes: [{gpu: a100, gpus: 8}]}\n"
    "models: %s/configs/models/eas-sim.yaml\n"
    "workload:\n"
    "  kind: poisson\n"
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
static double least_growth(const char *policy) {
    double least = INFINITY;
    for (int window = 0; window < WINDOWS && least >= LEAST_LEAK; window++) {
        size_t before = held_bytes();
        for (int i = 0; i < RUNS; i++) {
            struct trial trial;
            trial_run(&trial, &(struct trial_options){.models = NULL}, yaml, getenv("EASIM_SOURCE"),
                      policy);
            trial_must_succeed(&trial);
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
        double bytes = least_growth(policies[i]);
        cr_expect(bytes < LEAST_LEAK, "%s: %g bytes a run", policies[i], bytes);
    }
    temp_dir_leave();
}
