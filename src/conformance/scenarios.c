/* Built-in scenarios. They reach the loader as files in memory (memfd), so nothing is installed or
   written. Every job of every scenario can run on its empty cluster, so a drained run ends with all
   of them finished. */
#include "conformance/probe.h"

#include "conformance_texts.h"
#include "study/study_load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Two kinds of work with different scaling, one of which is fastest across nodes; checkpoints on
   demand and periodic; costs of starts that are no round numbers. */
static const char models[] = TEXT_MODELS;

/* Carbon intensity of the scenario with forecasts: it follows the sun, with a step within an hour;
   and the cap that falls, by steps while jobs run. */
static const char series[] = "time_s,carbon_g_per_kwh,power_w\n"
                             "0,420,5000\n"
                             "3600,390,3100\n"
                             "9000,310,4600\n"
                             "14400,145.5,1500\n"
                             "21600,160,5000\n"
                             "28800,385,2500\n"
                             "36000,455,4500\n";

#define TYPE_A "{name: a, idle_w: 55, ctx_w: 95, tdp_w: 400, memory_gib: 40}"
#define TYPE_B "{name: b, idle_w: 70, ctx_w: 120, tdp_w: 700, memory_gib: 80}"
#define TWO_TYPES(nodes) \
    "cluster: {gpu_types: [" TYPE_A ", " TYPE_B "], nodes: [{count: " #nodes \
    ", gpu: a, gpus: 4, base_w: 200}, {count: " #nodes ", gpu: b, gpus: 4, base_w: 250}]}\n"
#define ONE_TYPE(nodes, gpus) \
    "cluster: {gpu_types: [" TYPE_A "], nodes: [{count: " #nodes ", gpu: a, gpus: " #gpus "}]}\n"
#define USERS  "users: [{name: u1, weight: 1}, {name: u2, weight: 2}, {name: u3, weight: 0.5}]\n"
#define SERIES "{file: series.csv, period: 12h}"
#define DRAIN  "horizon: drain\nseed: 2385\n" USERS

const struct builtin builtins[] = {
    {"malleable jobs",
     DRAIN TWO_TYPES(
         2) "workload: {kind: poisson, rate_per_s: 0.01, sizes: {law: exponential, mean: 30min}, until: {jobs: 40}}\n",
     NULL},
    {"jobs across nodes",
     DRAIN TWO_TYPES(
         4) "workload: {kind: poisson, rate_per_s: 0.01, k: [1, 3, 6], h: [a], sizes: {law: exponential, mean: 1h}, until: {jobs: 40}}\n",
     NULL},
    {"deadlines", DRAIN TWO_TYPES(1) TEXT_DEADLINES, NULL},
    {"rigid jobs",
     DRAIN TWO_TYPES(
         2) "workload: {kind: poisson, rate_per_s: 0.01, rigid: {k: [1, 2, 3, 5]}, sizes: {law: exponential, mean: 15min}, until: {jobs: 60}, rigid_costs: {start_s: 3, restart_s: 7.5, checkpoint_s: 2}}\n",
     NULL},
    {"jobs as large as the cluster",
     DRAIN ONE_TYPE(
         2,
         4) "workload: {kind: poisson, rate_per_s: 0.004, rigid: {k: [1, 8]}, sizes: {law: exponential, mean: 10min}, until: {jobs: 30}}\n",
     NULL},
    {"one GPU type",
     DRAIN ONE_TYPE(
         2,
         8) "workload: {kind: poisson, rate_per_s: 0.01, k: [1, 2, 4], sizes: {law: exponential, mean: 20min}, until: {jobs: 40}}\n",
     NULL},
    {"one GPU",
     DRAIN ONE_TYPE(
         1,
         1) "workload: {kind: poisson, rate_per_s: 0.002, sizes: {law: exponential, mean: 10min}, until: {jobs: 20}}\n",
     NULL},
    {"burst of 2,000 jobs",
     DRAIN TWO_TYPES(
         4) "workload: {kind: poisson, rate_per_s: 1000, k: [1, 2], sizes: {law: exponential, mean: 5min}, until: {jobs: 2000}}\n",
     NULL},
    {"odd jobs", DRAIN TWO_TYPES(1) "workload: {kind: trace, file: jobs.csv, k: [1, 2, 4]}\n",
     "job_id,submit_s,user,model,work_samples,duration_s,requested_s,gpus,batch,gpu_type,deadline_s,class\n"
     "tiny,0,u1,small,0.000000001,,,,,,,\n"     /* next to no work */
     "huge,0,u1,wide,500000000,,,,,,,\n"        /* months on one GPU */
     "equal-1,0,u2,small,200000,,,,,,,\n"       /* two jobs that differ in nothing */
     "equal-2,0,u2,small,200000,,,,,,,\n"       /* */
     "instant,1,u3,,,0.000000001,,1,,,,\n"      /* one nanosecond, no set-up */
     "short-request,2,u3,,,500,1,2,,,,\n"       /* overruns its request */
     "long-request,2,u3,,,1,4000000,1,,,,\n"    /* ends long before it */
     "late,3,u1,small,90000,,,,,,3,\n"          /* its deadline is its submission */
     "far,3,u1,wide,90000,,,,,,3000000000,\n"   /* or never matters */
     "no-class,4,u2,small,5000,,,1,16,a,,sla\n" /* of class sla without a deadline, all of it set */
     "last,5000000,u3,,,10,10,4,,b,,\n"},       /* after a long silence */
    {"jobs that share GPUs", DRAIN TWO_TYPES(1) "workload: {kind: trace, file: jobs.csv}\n",
     "job_id,submit_s,user,duration_s,requested_s,gpus,gpu_type,gpu_share,deadline_s\n"
     "half,0,u1,600,,1,,0.5,\n"
     "other-half,0,u2,900,,1,,0.5,\n" /* a whole GPU together */
     "most,1,u1,400,500,1,a,0.6,\n"
     "most-again,1,u2,300,,1,a,0.6,\n"
     "rest,2,u3,1000,,1,a,0.4,5000\n"
     "node,3,u1,200,,4,a,,\n"
     "whole,4,u2,200,,1,,1,900\n" /* four whole GPUs wait for all parts */
     "crumb,5,u3,5000,10,1,,0.001,\n"
     "crumb-again,5,u3,10,5000,1,b,0.001,\n"
     "almost,6,u1,100,,1,b,0.999,\n"
     "all,7,u2,50,,4,b,,\n"
     "late,20000,u3,10,,1,,0.25,20005\n"},
    {"one event at a time",
     DRAIN "engine: {coalesce: false, equal_time: arrivals_first}\n" ONE_TYPE(
         2,
         4) "workload: {kind: periodic, period: 60s, rigid: {k: [1, 2, 3]}, sizes: {law: constant, mean: 120s}, until: {jobs: 60}}\n",
     NULL},
    {"models with phases",
     DRAIN TWO_TYPES(2) TEXT_PHASED_MODELS
     "workload: {kind: poisson, rate_per_s: 0.01, k: [1, 2, 4], sizes: {law: exponential, mean: 30min}, deadlines: {share: 0.3, slack: [1.1, 4]}, until: {jobs: 40}}\n",
     NULL},
    {"a network of tiers", DRAIN "cluster: {gpu_types: [" TYPE_A ", " TYPE_B TEXT_NETWORK, NULL},
    {"forecasts",
     DRAIN
     "start_time: 2025-06-01\nforecast: {hours: 12, error: {sigma: 0.2, correlation: 0.9}}\n"
     "carbon_g_per_kwh: " SERIES "\n" TWO_TYPES(
         2) "workload: {kind: poisson, rate_per_s: 0.002, k: [1, 2, 4], sizes: {law: exponential, mean: 1h}, deadlines: {share: 0.3, slack: [1.1, 4]}, until: {jobs: 40}}\n",
     NULL},
    {"services", DRAIN TEXT_SERVED_MODELS TWO_TYPES(2) TEXT_SERVICES, NULL},
    {"ended in the middle",
     "horizon: 1h\nseed: 2385\n" USERS TWO_TYPES(
         1) "workload: {kind: poisson, rate_per_s: 0.01, sizes: {law: exponential, mean: 1h}}\n",
     NULL},
};
const uint32_t builtin_count = sizeof builtins / sizeof *builtins;

/* Idle GPUs and nodes draw 1,900 W; the largest job adds at most 4 x (700 - 70) W. */
#define CAPPED(cap) \
    DRAIN "cluster: {power_cap_w: " cap ", gpu_types: [" TYPE_A ", " TYPE_B TEXT_CAPPED
const struct builtin builtin_capped = {"power cap", CAPPED("4500"), NULL};
const struct builtin builtin_falling_cap = {"falling cap", CAPPED(SERIES), NULL};

/* A file in memory; path gets a name under which it can be opened. Negative on failure. */
static int memory_file(const char *text, char path[32]) {
    int fd = memfd_create("easim-conformance", MFD_CLOEXEC);
    size_t length = strlen(text);
    if (fd >= 0 && write(fd, text, length) != (ssize_t)length) {
        close(fd);
        return -1;
    }
    snprintf(path, 32, "/proc/self/fd/%d", fd);
    return fd;
}

int builtin_load(const struct builtin *builtin, const char *policy, const char *const *sets,
                 size_t set_count, struct study *study, struct problems *problems) {
    static const struct trace_reader *const no_readers[] = {NULL};
    struct str text = {0};
    char scenario_path[32], models_path[32], jobs_path[32], models_set[64], jobs_set[64];
    char series_path[32], series_sets[2][64];
    static const struct {
        const char *in_text, *key;
    } of_series[2] = {{"\ncarbon_g_per_kwh:", "carbon_g_per_kwh"},
                      {"power_cap_w: {", "cluster.power_cap_w"}};
    ARRAY_OF(const char *) all = {0};
    str_addf(&text, "name: conformance\n%spolicy: {name: none}\n", builtin->text);
    int fds[] = {memory_file(text.text, scenario_path), memory_file(models, models_path),
                 memory_file(builtin->jobs ? builtin->jobs : "", jobs_path),
                 memory_file(series, series_path)};
    str_finish(&text);
    snprintf(models_set, sizeof models_set, "models=%s", models_path);
    snprintf(jobs_set, sizeof jobs_set, "workload.file=%s", jobs_path);
    if (!strstr(builtin->text, "\nmodels:"))
        array_push(&all, models_set);
    if (builtin->jobs)
        array_push(&all, jobs_set);
    for (size_t i = 0; i < 2; i++) {
        snprintf(series_sets[i], sizeof series_sets[i], "%s.file=%s", of_series[i].key,
                 series_path);
        if (strstr(builtin->text, of_series[i].in_text))
            array_push(&all, series_sets[i]);
    }
    for (size_t i = 0; i < set_count; i++)
        array_push(&all, sets[i]);
    const struct scenario_overrides overrides = {
        .policy = policy, .sets = all.at, .set_count = all.count};
    int r = study_load(study, scenario_path, &overrides, no_readers, problems);
    for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    free(all.at);
    return r;
}
