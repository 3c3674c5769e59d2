/* What of a scenario has no effect, or one that nobody can want: the warnings of a study, word for
 * word. */
#include "../support/scenario.h"
#include "../support/temp_dir.h"

#include <criterion/criterion.h>
#include <math.h>

TestSuite(warnings, .init = temp_dir_enter, .fini = temp_dir_leave);

#define FORMS \
    "a_s: 0.1, c_s: 0.01, gamma: 2, alpha_s: 0.01, p0_w: 100, evidence: assumed, source: by hand"
/* "both" knows g and v, "one" g alone, with a level; "table" g by lookup; up to 300, 300 and 350 W
 * there. */
#define MODELS \
    "models:\n" \
    "- {name: both, m0: 64, phi: 1, mem0_gib: 20, batches: [8], gpus: {g: {" FORMS \
    ", pmax_w: 300}, v: {" FORMS ", pmax_w: 200}}}\n" \
    "- {name: one, m0: 64, phi: 1, batches: [8], gpus: {g: {" FORMS \
    ", pmax_w: 300, power_limits: {levels: [{power_limit_w: 200, time_ratio: 1.2, power_ratio: 0.7, energy_ratio: 0.84, configurations: 1}]}}}}\n" \
    "- {name: table, m0: 64, phi: 1, batches: [8], gpus: {g: {evidence: assumed, source: by hand, lookup: [{k: 1, batch: 8, throughput_samples_s: 40, power_w_per_gpu: 350}]}}}\n"
#define OF_A100 \
    "models:\n- {name: both, m0: 64, phi: 1, batches: [8], gpus: {a100: {" FORMS \
    ", pmax_w: 300}}}\n"
#define TYPE(name, tdp)  "{name: " name ", idle_w: 50, ctx_w: 90, tdp_w: " tdp ", memory_gib: 40}"
#define SMALL(name, tdp) "{name: " name ", idle_w: 50, ctx_w: 90, tdp_w: " tdp ", memory_gib: 10}"
#define G                "{gpu: g, gpus: 2}"
#define GV               "{gpu: g, gpus: 2}, {gpu: v, gpus: 4}"
#define DRAWN(more) \
    "{kind: poisson, rate_per_s: 0.01, until: {jobs: 3}, sizes: {law: constant, mean: 1h}, " more \
    "}"
#define TRACE(more) "{kind: trace, file: jobs.csv" more "}"

static const struct {
    const char *types, *nodes, *workload, *jobs, *policy;
    const char *warnings[3];
} cases[] = {
    {TYPE("g", "400") ", " TYPE("v", "400"),
     GV,
     DRAWN("mix: [{model: both}]"),
     NULL,
     "{name: fcfs}",
     {NULL}},
    /* a GPU type that no model of the mix knows, though one of the file does */
    {TYPE("g", "400") ", " TYPE("v", "400"),
     GV,
     DRAWN("mix: [{model: one}]"),
     NULL,
     "{name: fcfs}",
     {"cluster.gpu_types[1]: no model of the workload's jobs says how they run on v: its 4 GPUs stay idle"}},
    {TYPE("g", "400") ", " TYPE("v", "400"),
     G ", {gpu: v, gpus: 1}",
     DRAWN("mix: [{model: one}]"),
     NULL,
     "{name: fcfs}",
     {"cluster.gpu_types[1]: no model of the workload's jobs says how they run on v: its 1 GPU stays idle"}},
    /* one that jobs may not use: by the limits of the stream, its memory, its number of GPUs, the
       rows of a log */
    {TYPE("g", "400") ", " TYPE("v", "400"),
     GV,
     DRAWN("mix: [{model: both}], h: [g]"),
     NULL,
     "{name: fcfs}",
     {"cluster.gpu_types[1]: no job of the workload can run on v: its 4 GPUs stay idle"}},
    {TYPE("g", "400") ", " SMALL("v", "400"),
     GV,
     DRAWN("mix: [{model: both}]"),
     NULL,
     "{name: fcfs}",
     {"cluster.gpu_types[1]: no job of the workload can run on v: its 4 GPUs stay idle"}},
    {TYPE("g", "400") ", " TYPE("v", "400"),
     GV,
     DRAWN("mix: [{model: both}], k: [4]"),
     NULL,
     "{name: fcfs}",
     {"cluster.gpu_types[0]: no job of the workload can run on g: its 2 GPUs stay idle"}},
    {TYPE("g", "400") ", " TYPE("v", "400"),
     GV,
     TRACE(""),
     "job_id,submit_s,gpus,duration_s,gpu_type\na,0,1,10,g\nb,1,2,10,g\n",
     "{name: fcfs}",
     {"cluster.gpu_types[1]: no job of the workload can run on v: its 4 GPUs stay idle"}},
    /* the same rows where only the second, or what it is assigned, may use v */
    {TYPE("g", "400") ", " TYPE("v", "400"),
     GV,
     TRACE(""),
     "job_id,submit_s,gpus,duration_s,gpu_type\na,0,1,10,g\nb,1,3,10,\n",
     "{name: fcfs}",
     {NULL}},
    {TYPE("g", "400") ", " TYPE("v", "400"),
     GV,
     TRACE(", assign: {models: [{model: both}, {model: one}]}"),
     "job_id,submit_s,gpus,duration_s,gpu_type\na,0,1,10,g\nb,1,1,10,\n",
     "{name: fcfs}",
     {NULL}},
    {TYPE("g", "400") ", " TYPE("v", "400"),
     G,
     DRAWN("mix: [{model: both}]"),
     NULL,
     "{name: fcfs}",
     {"cluster.gpu_types[1]: no node has a GPU of type v"}},
    /* in rounds jobs get other configurations at the boundaries, if at all */
    {TYPE("g", "400"),
     G,
     DRAWN("mix: [{model: both}]"),
     NULL,
     "{name: las, params: {resize: true, resize_gain: 0.2}}",
     {"policy.params.resize: of no effect with round_s",
      "policy.params.resize_gain: of no effect with round_s"}},
    {TYPE("g", "400"),
     G,
     DRAWN("mix: [{model: both}]"),
     NULL,
     "{name: las, params: {resize: true, resize_gain: 0.2, round_s: off}}",
     {NULL}},
    /* power above tdp_w, of a formula and of a table; at tdp_w it is not cut, and of a model
     * without jobs neither
     */
    {TYPE("g", "299"),
     G,
     DRAWN("mix: [{model: one}]"),
     NULL,
     "{name: fcfs}",
     {"cluster.gpu_types[0].tdp_w: 299 W is less than the 300 W that one may draw on g (pmax_w): its power is cut, its speed is not"}},
    {TYPE("g", "310"),
     G,
     DRAWN("mix: [{model: table}, {model: one}], k: [1]"),
     NULL,
     "{name: fcfs}",
     {"cluster.gpu_types[0].tdp_w: 310 W is less than the 350 W that table may draw on g (lookup): its power is cut, its speed is not"}},
    {TYPE("g", "300"), G, DRAWN("mix: [{model: one}]"), NULL, "{name: fcfs}", {NULL}},
    /* options that need another one, or something of the models */
    {TYPE("g", "400"),
     G,
     DRAWN("mix: [{model: one}]"),
     NULL,
     "{name: zeus, params: {power_limits: true}}",
     {NULL}},
    /* a model without measured limits has those of the law of its GPU type, if they are below tdp_w
     */
    {TYPE("g", "400"),
     G,
     DRAWN("mix: [{model: both}]"),
     NULL,
     "{name: zeus, params: {power_limits: true, shrink: true}}",
     {"policy.params.shrink: of no effect without resize"}},
    {"{name: g, idle_w: 50, tdp_w: 400, memory_gib: 80, floor_w: 400}",
     G,
     DRAWN("mix: [{model: both}]"),
     NULL,
     "{name: zeus, params: {power_limits: true}}",
     {"cluster.gpu_types[0].floor_w: of no effect, no job has power limits on g",
      "policy.params.power_limits: of no effect, no job may have a power limit"}},
    {"{name: g, idle_w: 50, tdp_w: 400, memory_gib: 80, floor_w: 400}",
     G,
     DRAWN("mix: [{model: both}]"),
     NULL,
     "{name: lean, params: {limits: live}}",
     {"cluster.gpu_types[0].floor_w: of no effect, no job has power limits on g",
      "policy.params.limits: of no effect, no job may have a power limit"}},
    {"{name: g, idle_w: 50, tdp_w: 400, memory_gib: 80, floor_w: 90, limit_law: {s: 0.2}}",
     G,
     DRAWN("mix: [{model: one}]"),
     NULL,
     "{name: zeus, params: {power_limits: true}}",
     {"cluster.gpu_types[0].limit_law: of no effect, no job without measured limits has power limits on g"}},
    {"{name: g, idle_w: 50, tdp_w: 400, memory_gib: 80, floor_w: 90, limit_law: {s: 0.2}}",
     G,
     DRAWN("rigid: {k: [1]}"),
     NULL,
     "{name: zeus, params: {power_limits: true}}",
     {NULL}},
    {"{name: g, idle_w: 50, tdp_w: 400, memory_gib: 80, limit_delay_s: 0.5}",
     G,
     DRAWN("rigid: {k: [1]}"),
     NULL,
     "{name: fcfs}",
     {"cluster.gpu_types[0].limit_delay_s: of no effect, no job has power limits on g"}},
    {TYPE("g", "400"),
     G,
     DRAWN("mix: [{model: both}]"),
     NULL,
     "{name: zeus, params: {resize: true, shrink: true}}",
     {NULL}},
    {TYPE("g", "400"),
     G,
     DRAWN("mix: [{model: both}]"),
     NULL,
     "{name: zeus, params: {resize_gain: 0.1}}\n"
     "params_by_policy: {zeus: {resize_interval_s: 60, resize_gain: 0.2}}",
     {"policy.params.resize_gain: of no effect without resize",
      "params_by_policy.zeus.resize_interval_s: of no effect without resize"}},
    {TYPE("g", "400"),
     G,
     DRAWN("mix: [{model: both}]"),
     NULL,
     "{name: zeus, params: {resize: true, resize_gain: 0.2}}\nparams_by_policy: {zeus: {resize_interval_s: 60}}",
     {NULL}},
    /* parameters of a policy that does not run say nothing of this one */
    {TYPE("g", "400"),
     G,
     DRAWN("mix: [{model: both}]"),
     NULL,
     "{name: fcfs}\nparams_by_policy: {zeus: {resize_gain: 0.2}}",
     {NULL}},
    {"{name: g, idle_w: 50, busy_w: 70, tdp_w: 400, memory_gib: 80}",
     G,
     DRAWN("mix: [{model: both}]"),
     NULL,
     "{name: fcfs}",
     {"cluster.gpu_types[0].busy_w: of no effect, no job is rigid"}},
    {"{name: g, idle_w: 50, busy_w: 70, tdp_w: 400, memory_gib: 80}",
     G,
     DRAWN("rigid: {k: [1]}"),
     NULL,
     "{name: fcfs}",
     {NULL}},
    /* peaks are of easim attribute, of models that say what a sample takes: none here does */
    {"{name: g, idle_w: 50, tdp_w: 400, memory_gib: 80, peak_flops: 3.12e14, memory_bytes_s: 2e12}",
     G,
     DRAWN("mix: [{model: both}]"),
     NULL,
     "{name: fcfs}",
     {"cluster.gpu_types[0].peak_flops: of no effect, no model whose jobs may run on g states flops_per_sample",
      "cluster.gpu_types[0].memory_bytes_s: of no effect, no model whose jobs may run on g states flops_per_sample and bytes_per_sample"}},
    {"{name: g, idle_w: 50, tdp_w: 400, memory_gib: 80, memory_bytes_s: 2e12}",
     G,
     DRAWN("mix: [{model: both}]"),
     NULL,
     "{name: fcfs}",
     {"cluster.gpu_types[0].memory_bytes_s: of no effect without peak_flops"}},
    {TYPE("g", "400"),
     G,
     DRAWN("mix: [{model: both}], deadlines: {share: 0, slack: [1.5, 4]}"),
     NULL,
     "{name: fcfs}",
     {"workload.deadlines: of no effect, its share of jobs is 0"}},
    {TYPE("g", "400"),
     G,
     DRAWN("mix: [{model: both}], deadlines: {share: 0.01, slack: [1.5, 4]}"),
     NULL,
     "{name: fcfs}",
     {NULL}},
    {TYPE("g", "400"),
     G,
     "{streams: [" DRAWN("mix: [{model: both}]") ", " DRAWN(
         "mix: [{model: both}], deadlines: {share: 0, slack: [1, 2]}") "]}",
     NULL,
     "{name: fcfs}",
     {"workload.streams[1].deadlines: of no effect, its share of jobs is 0"}},
};

Test(warnings, of_studies) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trial t;
        trial_run(&t, &(struct trial_options){.jobs = cases[i].jobs, .models = MODELS},
                  "name: n\n"
                  "horizon: drain\n"
                  "models: models.yaml\n"
                  "policy: %s\n"
                  "cluster: {gpu_types: [%s], nodes: [%s]}\n"
                  "workload: %s\n",
                  cases[i].policy, cases[i].types, cases[i].nodes, cases[i].workload);
        trial_must_succeed(&t);
        size_t count = 0;
        while (cases[i].warnings[count])
            count++;
        cr_expect_eq(t.study.warnings.count, count, "case %zu: %zu warnings", i,
                     t.study.warnings.count);
        for (size_t w = 0; w < count && w < t.study.warnings.count; w++)
            cr_expect_str_eq(t.study.warnings.at[w], cases[i].warnings[w], "case %zu: %s", i,
                             t.study.warnings.at[w]);
        trial_finish(&t);
    }
}

#define PHASED(phi, batches, phases) \
    "- {name: phased, m0: 64, " phi ", " batches ", phases: [" phases "], gpus: {a100: {" FORMS \
    ", pmax_w: 300}}}\n"

/* pue is in cost and CO2 alone; rigid_speed in rigid jobs alone, by GPU types of the cluster. */
static const struct {
    const char *cluster, *models, *workload, *more, *warning;
} keys[] = {
    {"pue: 1.4", "", DRAWN("mix: [{model: both}]"), "",
     "cluster.pue: of no effect without price_per_mwh or carbon_g_per_kwh, energies are without it"},
    {"pue: 1.4", "", DRAWN("mix: [{model: both}]"),
     "wue_l_per_kwh: 2\n", /* energy times it: without pue, too */
     "cluster.pue: of no effect without price_per_mwh or carbon_g_per_kwh, energies are without it"},
    {"pue: 1.4", "", DRAWN("mix: [{model: both}]"), "price_per_mwh: 80\n", NULL},
    {"pue: 1.4", "", DRAWN("mix: [{model: both}]"), "carbon_g_per_kwh: 300\n", NULL},
    {"pue: 1", "", DRAWN("mix: [{model: both}]"), "", NULL},
    /* keys about a cap that is enforced */
    {"power_cap: {watts: 9000, order: by_flex}", "", DRAWN("mix: [{model: both}]"), "",
     "cluster.power_cap.order: of no effect with enforce: none"},
    {"power_cap: {watts: 9000, steps: 0}", "", DRAWN("mix: [{model: both}]"), "",
     "cluster.power_cap.steps: of no effect with enforce: none"},
    {"power_cap: {watts: 9000}", "", DRAWN("mix: [{model: both}], flex: [{share: 1, flex: 0.5}]"),
     "", "workload.flex: of no effect, no power cap is enforced"},
    {"power_cap: {watts: 9000, enforce: throttle, order: by_flex, admit: full, steps: 0, grace: 0}",
     "", DRAWN("mix: [{model: both}], flex: [{share: 1, flex: 0.5}]"), "", NULL},
    {"power_cap: {watts: 99, enforce: throttle}", "", DRAWN("mix: [{model: both}]"), "",
     "cluster.power_cap: infeasible, 99 W from t = 0 s on is less than the 100 W that idle GPUs and nodes draw"},
    {"pue: 1", "rigid_speed: {a100: 1, a10: 0.5}\n", DRAWN("rigid: {k: [1]}"), "",
     "rigid_speed.a10: of no effect, no GPU type of the cluster is named \"a10\", did you mean \"a100\"?"},
    {"pue: 1", "rigid_speed: {a100: 0.5}\n", DRAWN("rigid: {k: [1]}"), "", NULL},
    {"pue: 1", "rigid_speed: {a10: 0.5}\n", DRAWN("mix: [{model: both}]"), "", NULL},
    /* phi and batches of a model stand for phases that state none */
    {"pue: 1", PHASED("phi: 1", "batches: [8]", "{until: 0.5, phi: 3}, {until: 1, batches: [2]}"),
     DRAWN("mix: [{model: phased}]"), "", NULL},
    {"pue: 1", PHASED("phi: 1", "batches: [8]", "{until: 0.5, phi: 3}, {until: 1, phi: 1}"),
     DRAWN("mix: [{model: phased}]"), "",
     "models.phased.phi: of no effect, each phase states its own"},
    {"pue: 1",
     PHASED("phi: 1", "batches: [8]", "{until: 0.5, batches: [3]}, {until: 1, batches: [4]}"),
     DRAWN("mix: [{model: phased}]"), "",
     "models.phased.batches: of no effect, each phase states its own"},
    {"pue: 1",
     "- {name: phased, m0: 64, phi: 1, phases: [{until: 1, batches: [3]}], "
     "gpus: {a100: {batches: [8], " FORMS ", pmax_w: 300}}}\n",
     DRAWN("mix: [{model: phased}]"), "",
     "models.phased.gpus.a100.batches: of no effect, each phase states its own"},
    {"pue: 1",
     PHASED("start_s: 3", "restart_s: 2",
            "{until: 0.5, phi: 3, batches: [3]}, {until: 1, phi: 4, batches: [4]}"),
     DRAWN("mix: [{model: phased}]"), "", NULL},
    {"pue: 1", PHASED("phi: 1", "batches: [8]", "{until: 1, phi: 3, batches: [3]}"),
     DRAWN("mix: [{model: both}]"), "", NULL},
};

Test(warnings, of_keys) {
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        struct trial t;
        char models[2048];
        cr_assert_lt(snprintf(models, sizeof models, "%s%s", OF_A100, keys[i].models),
                     (int)sizeof models);
        trial_run(&t, &(struct trial_options){.models = models},
                  "name: n\n"
                  "horizon: drain\n"
                  "models: models.yaml\n"
                  "policy: {name: fcfs}\n"
                  "%scluster: {gpu_types: [" TYPE(
                      "a100", "400") "], nodes: [{gpu: a100, gpus: 2}], %s}\nworkload: %s\n",
                  keys[i].more, keys[i].cluster, keys[i].workload);
        trial_must_succeed(&t);
        cr_assert_eq(t.study.warnings.count, keys[i].warning != NULL, "case %zu: %zu warnings", i,
                     t.study.warnings.count);
        if (keys[i].warning)
            cr_expect_str_eq(t.study.warnings.at[0], keys[i].warning);
        trial_finish(&t);
    }
}

/* Peaks of a GPU type need counts of a model in use; that of the memory needs both counts. */
Test(warnings, of_peaks) {
    static const struct {
        const char *counts, *warning;
    } peaks[] = {
        {"flops_per_sample: 1e9, bytes_per_sample: 1e6", NULL},
        {"flops_per_sample: 1e9",
         "cluster.gpu_types[0].memory_bytes_s: of no effect, no model whose jobs may run on a100 states flops_per_sample and bytes_per_sample"},
    };
    for (size_t i = 0; i < sizeof peaks / sizeof *peaks; i++) {
        struct trial t;
        char models[512];
        snprintf(models, sizeof models,
                 "models:\n- {name: counted, m0: 64, phi: 1, batches: [8], %s, gpus: {a100: {" FORMS
                 ", pmax_w: 300}}}\n",
                 peaks[i].counts);
        trial_run(&t, &(struct trial_options){.models = models},
                  "name: n\nhorizon: drain\nmodels: models.yaml\npolicy: {name: fcfs}\n"
                  "cluster: {gpu_types: [{name: a100, idle_w: 50, tdp_w: 400, memory_gib: 80, "
                  "peak_flops: 3e14, memory_bytes_s: 1e12}], nodes: [{gpu: a100, gpus: 2}]}\n"
                  "workload: " DRAWN("mix: [{model: counted}]") "\n");
        trial_must_succeed(&t);
        cr_assert_eq(t.study.warnings.count, peaks[i].warning != NULL);
        if (peaks[i].warning)
            cr_expect_str_eq(t.study.warnings.at[0], peaks[i].warning);
        trial_finish(&t);
    }
}

/* Node shares: 8 GPUs of 920 W at saturation (c_s r / k = 1, as a_s is nothing) for 1000 s and no
   base draw 8 x 920 x 1000 J. A model of another scope, and one above tdp_w, do not matter where no
   job is theirs, nor does one on another GPU type. */
Test(warnings, node_scopes) {
    static const char models[] =
        "models:\n"
        "- {name: shares, m0: 64, phi: 1, batches: [8], gpus: {g: {a_s: 1e-300, c_s: 0.01, gamma: 1, "
        "alpha_s: 0, p0_w: 300, pmax_w: 920, power_scope: node_ac, evidence: assumed, source: x}}}\n"
        "- {name: alone, m0: 64, phi: 1, batches: [8], gpus: {g: {" FORMS
        ", pmax_w: 300}, v: {" FORMS ", pmax_w: 300}}}\n"
        "- {name: larger, m0: 64, phi: 1, batches: [8], gpus: {g: {" FORMS
        ", pmax_w: 2000, power_scope: node}}}\n";
    struct trial t;
    trial_run(
        &t,
        &(struct trial_options){.models = models,
                                .jobs = "job_id,submit_s,model,gpus,work_samples,gpu_type\n"
                                        "a,0,shares,8,800000,g\nb,0,alone,1,100,v\n"},
        "name: n\n"
        "horizon: drain\n"
        "models: models.yaml\n"
        "policy: {name: fcfs}\n"
        "cluster: {gpu_types: [" TYPE("g", "920") ", " TYPE(
            "v",
            "400") "], nodes: [{gpu: g, gpus: 8}, {gpu: v, gpus: 1, base_w: 100}]}\n" TRIAL_JOBS);
    trial_must_succeed(&t);
    cr_expect_eq(t.study.warnings.count, 0);
    cr_expect_float_eq(trial_find(&t, "a")->energy_j, 8 * 920 * 1000.0, 1e-3);
    trial_finish(&t);
}
