/* Decisions in rounds (semantics 5.5), worked out by hand above each case, and what must hold of
   them whatever the policy. */
#include "../support/policy_case.h"
#include "../support/temp_dir.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

TestSuite(rounds, .init = temp_dir_enter, .fini = temp_dir_leave);

#define HEAD  "job_id,submit_s,gpus,duration_s\n"
#define MODEL "job_id,submit_s,gpus,duration_s,model,work_samples\n"
/* Shortest first, of what is left. */
#define SHORTEST "{name: pollux, params: {tau: 1e9, round_s: 60}}"

Test(rounds, by_hand) {
    static const struct policy_case cases[] = {
        /* Two rounds. At 0 a gets both GPUs; 57 of its 200 s are done at 60, when b, 40 s and there
           since 30, goes first: a is preempted, b runs from 60 to 60 + 3 + 40. The GPUs stay empty
           until 120, when a starts again: 5 + 143 s. */
        {"preempted at the boundary",
         SHORTEST,
         TRIAL_CLUSTER(2),
         ", rigid_costs: {start_s: 3, restart_s: 5}",
         HEAD "a,0,2,200\nb,30,2,40\n",
         {{"a", 0, 268, 2, 0}, {"b", 60, 103, 2, 0}}},
        /* The checkpoint takes until 70; b was chosen and starts then: 70 + 43. */
        {"checkpoint on demand",
         SHORTEST,
         TRIAL_CLUSTER(2),
         ", rigid_costs: {start_s: 3, restart_s: 5, checkpoint_s: 10}",
         HEAD "a,0,2,200\nb,30,2,40\n",
         {{"a", 0, 268, 2, 0}, {"b", 70, 113, 2, 0}}},
        /* 40 of the 57 s are kept: 120 + 5 + 160. */
        {"periodic checkpoints",
         SHORTEST,
         TRIAL_CLUSTER(2),
         ", rigid_costs: {start_s: 3, restart_s: 5, checkpoint_interval_s: 20}",
         HEAD "a,0,2,200\nb,30,2,40\n",
         {{"a", 0, 285, 2, 0}, {"b", 60, 103, 2, 0}}},
        /* a may not be preempted: b has the round that begins at 240. */
        {"not preemptible",
         SHORTEST,
         TRIAL_CLUSTER(2),
         ", preemptible: false, rigid_costs: {start_s: 3, restart_s: 5}",
         HEAD "a,0,2,200\nb,30,2,40\n",
         {{"a", 0, 203, 2, 0}, {"b", 240, 283, 2, 0}}},
        /* a goes on through three boundaries as if there were none: nobody is better. b fits beside
           it, but only from 60 on. */
        {"who keeps pays nothing",
         SHORTEST,
         TRIAL_CLUSTER(3),
         ", rigid_costs: {start_s: 3, restart_s: 5}",
         HEAD "a,0,2,200\nb,30,1,400\n",
         {{"a", 0, 203, 2, 0}, {"b", 60, 463, 1, 0}}},
        /* Exactly at a boundary: a ends at 60, and b starts. */
        {"ends at a boundary",
         SHORTEST,
         TRIAL_CLUSTER(2),
         NULL,
         HEAD "a,0,2,60\nb,30,2,40\n",
         {{"a", 0, 60, 2, 0}, {"b", 60, 100, 2, 0}}},
        /* 4 GPUs: a on 2 of them, until 100; m gets the other 2 at 60 and makes 1.6 samples/s, so
           96 of 1000 at 120. Then it could have 4: 904 / 2 = 452 s, no restart, instead of 565 s.
           It is preempted and starts again in the same instant: 120 + 452. */
        {"another configuration",
         SHORTEST,
         TRIAL_CLUSTER(4),
         NULL,
         MODEL "a,0,2,100,,\nm,10,,,flat,1000\n",
         {{"a", 0, 100, 2, 0}, {"m", 60, 572, 4, 0}}},
        /* The same with 1 s for the checkpoint and 2 s for the restart: 120 + 1 + 2 + 452. */
        {"another configuration, with its costs",
         SHORTEST,
         TRIAL_CLUSTER(4),
         NULL,
         MODEL "a,0,2,100,,\nm,10,,,costly,1000\n",
         {{"a", 0, 100, 2, 0}, {"m", 60, 575, 4, 0}}},
        /* strict: at 60 c (3 GPUs) is second and does not fit, so that a, third, is preempted and d
           not looked at: b alone, until 70. At 120 c is first and a stops the visit again: c until
           220. At 240 a and d: 240 + 540, 240 + 1000. */
        {"strict",
         "{name: pollux, params: {tau: 1e9, round_s: 60, strict: true}}",
         TRIAL_CLUSTER(4),
         NULL,
         HEAD "a,0,2,600\nb,30,2,10\nc,30,3,100\nd,30,1,1000\n",
         {{"a", 0, 780, 2, 0}, {"b", 60, 70, 2, 0}, {"c", 120, 220, 3, 0}, {"d", 240, 1240, 1, 0}}},
    };
    policy_cases_run(cases, sizeof cases / sizeof *cases);
}

/* Least attained GPU time first: las alternates two jobs of one GPU round by round. a runs 0 to 60,
   b 60 to 120 (1 GPU each, 100 s, 10 s of restart). At 120 both have computed 60 GPU s: a,
   submitted first, until 120 + 10 + 40 = 170; b at 180: 180 + 10 + 40. */
Test(rounds, las) {
    static const struct policy_case cases[] = {
        {"alternate",
         "{name: las, params: {round_s: 60}}",
         TRIAL_CLUSTER(1),
         ", rigid_costs: {restart_s: 10}",
         HEAD "a,0,1,100\nb,0,1,100\n",
         {{"a", 0, 170, 1, 0}, {"b", 60, 230, 1, 0}}},
        /* GPU-seconds, not seconds: at 60 a has computed 120 and b 60, so that c (none) goes first,
           b second, and a (2 GPUs) does not fit beside them. At 120 a and b have 120 each, c 60: c
           first, a second, b does not fit. c ends at 160, a at 180, b at 180 + 80. */
        {"by GPU-seconds",
         "{name: las, params: {round_s: 60}}",
         TRIAL_CLUSTER(3),
         NULL,
         HEAD "a,0,2,120\nb,0,1,200\nc,30,1,100\n",
         {{"a", 0, 180, 2, 0}, {"b", 0, 260, 1, 0}, {"c", 60, 160, 1, 0}}},
        /* off: nobody is preempted. */
        {"without rounds",
         "{name: las, params: {round_s: off}}",
         TRIAL_CLUSTER(1),
         NULL,
         HEAD "a,0,1,100\nb,0,1,100\n",
         {{"a", 0, 100, 1, 0}, {"b", 100, 200, 1, 0}}},
    };
    policy_cases_run(cases, sizeof cases / sizeof *cases);
}

/* Keys fall with age: at 120 a has 300 s / (1 + 120 / 60) = 100, c 160 / (1 + 10 / 60) = 137, and
   until 360 a stays before it: 240 / 4 to 160 / (1 + 70 / 60) = 74, 180 / 5 to 50.5, 120 / 6 to
   38.4, 60 / 7 to 31. Without ageing c would go first. */
Test(rounds, ageing) {
    static const struct policy_case cases[] = {
        {"ageing",
         "{name: pollux, params: {tau: 60, round_s: 60}}",
         TRIAL_CLUSTER(1),
         NULL,
         HEAD "a,0,1,300\nb,0,1,100\nc,110,1,160\n",
         {{"a", 120, 420, 1, 0}, {"b", 0, 100, 1, 0}, {"c", 420, 580, 1, 0}}},
    };
    policy_cases_run(cases, sizeof cases / sizeof *cases);
}

/* Three GPUs; a wants 2, b and c 1 each. They go by ascending f / X, the part of its life that a
   job has run over its share. */
Test(rounds, max_min) {
    static const struct policy_case cases[] = {
        /* Level: 2 + 1 + 1 is more than 3, so min(2, L) + 1 + 1 = 3: L = 1, X of a is 1/2, of b
           and c 1. At 0 none has run: a and b. At 60: a 1 / (1/2) = 2, b 1, c 0: c and b; a
           does not fit. At 120: a (1/2) / (1/2) = 1, b 1, c 1/2: c, then a, submitted before b. At
           180: a (2/3) / (1/2) = 4/3, b 2/3, c 2/3: b, c. So a has run 120 s at 240, where a is
           2 x 1/2 = 1, b 3/4, c 3/4: b and c again, until 300, where b has run 240 s and c 240 s of
           theirs: both end. a from 300 on: 80 s left of 200. */
        {"shares",
         "{name: max_min, params: {round_s: 60}}",
         TRIAL_CLUSTER(3),
         NULL,
         HEAD "a,0,2,200\nb,0,1,240\nc,0,1,240\n",
         {{"a", 0, 380, 2, 0}, {"b", 0, 300, 1, 0}, {"c", 60, 300, 1, 0}}},
        /* Four GPUs, a wants 1 and b 4: 1 + min(4, L) = 4, so that X of a is 1, of b 3/4; both do
           not fit. a, b, then a at 120 (1/2 to (1/2) / (3/4)), b at 180 (2/3 to (1/3) / (3/4) =
           4/9), which ends at 220, and a the last 80 s from 240 on. */
        {"a full share beside a part",
         "{name: max_min, params: {round_s: 60}}",
         TRIAL_CLUSTER(4),
         NULL,
         HEAD "a,0,1,200\nb,0,4,100\n",
         {{"a", 0, 320, 1, 0}, {"b", 60, 220, 4, 0}}},
        /* Three GPUs, b wants 3 and a 2: L = 3/2, X of b is 1/2, of a 3/4. b, a, then a at 120 (1
           to 2/3), b at 180 (2/3 to 8/9), a at 240 (1 to 2/3). At 300 both are at 4/5, which are
           not equal doubles if one divides in another order: b, submitted first, ends, then a. */
        {"equal shares",
         "{name: max_min, params: {round_s: 60}}",
         TRIAL_CLUSTER(3),
         NULL,
         HEAD "b,0,3,180\na,0,2,240\n",
         {{"b", 0, 360, 3, 0}, {"a", 60, 420, 2, 0}}},
    };
    policy_cases_run(cases, sizeof cases / sizeof *cases);
}

/* Two queues: below 100 GPU s held, and above. At 60 a has held 60 and goes on before b, submitted
   later; at 120 it has held 120 and b goes first, at 180, too: 120 to 180, 180 to 240, since b has
   held 60 at 180. At 240 both are in the second queue, a first: 240 to 240 + 5 + 80 = 325 (115 of
   195 s are done). b has done 60 + 60 - 5 of set-up: 115 of 120 s, and ends at 360 + 5 + 5. */
Test(rounds, tiresias) {
    static const struct policy_case cases[] = {
        {"two queues",
         "{name: tiresias, params: {round_s: 60, threshold_gpu_s: 100}}",
         TRIAL_CLUSTER(1),
         ", rigid_costs: {restart_s: 5, start_s: 5}",
         HEAD "a,0,1,195\nb,30,1,120\n",
         {{"a", 0, 325, 1, 0}, {"b", 120, 370, 1, 0}}},
        /* off: one queue. */
        {"one queue",
         "{name: tiresias, params: {round_s: 60, threshold_gpu_s: off}}",
         TRIAL_CLUSTER(1),
         NULL,
         HEAD "a,0,1,200\nb,30,1,120\n",
         {{"a", 0, 200, 1, 0}, {"b", 240, 360, 1, 0}}},
    };
    policy_cases_run(cases, sizeof cases / sizeof *cases);
}

/* One GPU, 5 waiting jobs when a ends at 100, so from 120 on. alpha 0.4: b and c are the oldest, c
   (30 s) is shorter: 120 to 150. At 180 4 wait, of which one, b, is the oldest (floor(1.6) = 1, and
   one GPU is free): 180 to 280. At 300 3 wait, so one: d, 300 to 340; at 360 e (50 s), at 420 f.
   With alpha 1 all compete: f (10), c, d, e, b, each in its own round. */
Test(rounds, allox) {
    static const struct policy_case cases[] = {
        {"the oldest",
         "{name: allox, params: {round_s: 60, alpha: 0.4}}",
         TRIAL_CLUSTER(1),
         NULL,
         HEAD "a,0,1,100\nb,10,1,100\nc,11,1,30\nd,12,1,40\ne,13,1,50\nf,14,1,10\n",
         {{"a", 0, 100, 1, 0},
          {"b", 180, 280, 1, 0},
          {"c", 120, 150, 1, 0},
          {"d", 300, 340, 1, 0},
          {"e", 360, 410, 1, 0},
          {"f", 420, 430, 1, 0}}},
        {"all",
         "{name: allox, params: {round_s: 60, alpha: 1}}",
         TRIAL_CLUSTER(1),
         NULL,
         HEAD "a,0,1,100\nb,10,1,100\nc,11,1,30\nd,12,1,40\ne,13,1,50\nf,14,1,10\n",
         {{"a", 0, 100, 1, 0},
          {"b", 360, 460, 1, 0},
          {"c", 180, 210, 1, 0},
          {"d", 240, 280, 1, 0},
          {"e", 300, 350, 1, 0},
          {"f", 120, 130, 1, 0}}},
    };
    policy_cases_run(cases, sizeof cases / sizeof *cases);
}

/* --- whatever the policy --- */

static const char *const policies[] = {"fcfs",  "pollux", "themis",  "chronos",  "zeus",
                                       "hades", "las",    "max_min", "tiresias", "allox"};

#define COUNT (sizeof policies / sizeof *policies)

/* A job alone that comes at a boundary runs as without rounds. */
Test(rounds, one_job_alone) {
    const struct trial_options options = {
        .jobs = "job_id,submit_s,gpus,duration_s,model,work_samples\nm,120,,,resnet50-fp32,2e6\n",
        .strict = true};
    for (size_t i = 0; i < COUNT; i++) {
        struct trial t[2];
        static const char *const rounds[] = {"off", "60"};
        for (int r = 0; r < 2; r++) {
            trial_run(
                &t[r], &options,
                "name: t\nhorizon: drain\nmodels: %s/configs/models/eas-sim.yaml\n"
                "cluster: {gpu_types: [{name: a100, idle_w: 60, ctx_w: 98, tdp_w: 400, memory_gib: 80}],"
                " nodes: [{gpu: a100, gpus: 4}]}\n" TRIAL_JOBS
                "policy: {name: %s, params: {round_s: %s}}\n",
                getenv("EASIM_SOURCE"), policies[i], rounds[r]);
            trial_must_succeed(&t[r]);
        }
        cr_assert_gt(trial_find(&t[0], "m")->finish_ns, 400000000000, "several rounds");
        cr_expect_str_eq(t[0].jobs_csv.text, t[1].jobs_csv.text, "%s", policies[i]);
        trial_finish(&t[0]);
        trial_finish(&t[1]);
    }
}

/* Jobs in overload, some of which may not be preempted, of a fixed number of GPUs or malleable: the
   invariants hold after every event and no action is refused. */
static void run_random(const char *policy, int seed, bool malleable) {
    struct trial t;
    const struct trial_options options = {.strict = !malleable};
    trial_run(
        &t, &options,
        "name: t\nhorizon: 20h\nseed: %d\nreplications: 1\nengine: {coalesce: %s}\n"
        "models: %s/configs/models/eas-sim.yaml\n"
        "cluster:\n"
        "  gpu_types: [{name: a100, idle_w: 60, ctx_w: 98, tdp_w: 400, memory_gib: 80},"
        " {name: h100, idle_w: 70, ctx_w: 110, tdp_w: 700, memory_gib: 80}]\n"
        "  nodes: [{count: 2, gpu: a100, gpus: 4}, {gpu: h100, gpus: 4}]\n"
        "workload:\n"
        "  streams:\n"
        "    - {kind: poisson, rate_per_s: 0.001, mix: [{model: vit-base-fp32}, {model: resnet50-fp32}],"
        " sizes: {law: lognormal, mean: 2h, cv: 1.5}, k: %s, users: 3, preemptible: true}\n"
        "    - {kind: poisson, rate_per_s: 0.0002, mix: [{model: resnet50-fp32}],"
        " sizes: {law: lognormal, mean: 1h, cv: 1}, k: [2], users: 1, preemptible: false}\n"
        "policy: {name: %s, params: {round_s: 300}}\n",
        seed, seed % 2 ? "true" : "false", getenv("EASIM_SOURCE"), malleable ? "[1, 2, 4]" : "[2]",
        policy);
    trial_must_succeed(&t);
    bool preempts = strcmp(policy, "fcfs") != 0 && strcmp(policy, "allox") != 0;
    uint32_t preemptions = 0;
    for (size_t i = 0; i < t.job_count; i++)
        preemptions += t.jobs[i].preemptions;
    cr_expect(t.job_count > 40 && (preemptions > 0 || !preempts),
              "%s, %d: %zu jobs, %u preemptions", policy, seed, t.job_count, preemptions);
    trial_finish(&t);
}

Test(rounds, random) {
    for (size_t i = 0; i < COUNT; i++)
        for (int seed = 1; seed <= 2; seed++) {
            run_random(policies[i], seed, false);
            run_random(policies[i], seed, true);
        }
}
