/* Exchanges: sets of starts, preemptions and resizes that are carried out together or not at all.
   Types a and b of two GPUs each, idle 50 W, in set-up 90 W; model m makes 1 sample/s on a and 2 on
   b, on one GPU or two, at 100 W each; its configurations: 0 and 1 one and two a, 2 and 3 one and
   two b. Starts take 3 s, restarts 5 s, checkpoints on demand 2 s. */
#include "../support/scenario.h"
#include "../support/temp_dir.h"

#include <criterion/criterion.h>
#include <math.h>

TestSuite(exchange, .init = temp_dir_enter, .fini = temp_dir_leave);

#define TYPE(name, speed, more) \
    name \
        ": {evidence: assumed, source: by hand, lookup: [{k: 1, batch: 1, throughput_samples_s: " #speed \
        ", power_w_per_gpu: 100}, {k: 2, batch: 1, throughput_samples_s: " #more \
        ", power_w_per_gpu: 100}]}"
static const char models[] =
    "models: [{name: m, m0: 9, phi: 1, batches: [1], start_s: 3, restart_s: 5, checkpoint_s: 2, "
    "gpus: {" TYPE("a", 1, 2) ", " TYPE("b", 2, 4) "}}]\n";

#define CLUSTER \
    "cluster: {gpu_types: [{name: a, idle_w: 50, ctx_w: 90, tdp_w: 100}, {name: b, idle_w: 50, " \
    "ctx_w: 90, tdp_w: 100}], nodes: [{gpu: a, gpus: 2}, {gpu: b, gpus: 2}]%s}\n"

static void run(struct trial *t, const char *jobs, const char *policy, const char *more) {
    static struct trial_options options;
    options = (struct trial_options){.jobs = jobs, .models = models, .decisions = true};
    trial_run(
        t, &options,
        "name: n\nhorizon: drain\nmodels: models.yaml\npolicy: {name: %s}\n" CLUSTER TRIAL_JOBS,
        policy, more);
}

#define THREE "job_id,submit_s,model,work_samples\nx,0,m,100\ny,0,m,100\nz,0,m,40\n"

/* At 5, x moves to both b and z starts on the a that x leaves, though no a was free for it: x has
   done 2 of its 100 samples, pays the checkpoint and the restart, and is as fast as 4. */
Test(exchange, of_gpus_between_jobs) {
    struct trial t;
    run(&t, THREE, "exchanges, params: {parts: 'r0.3 s2.0'}", "");
    trial_must_succeed(&t);
    cr_expect_float_eq((double)trial_find(&t, "x")->finish_ns * 1e-9, 5 + 2 + 5 + 98 / 4.0, 1e-6);
    cr_expect_float_eq((double)trial_find(&t, "z")->finish_ns * 1e-9, 5 + 3 + 40, 1e-6);
    cr_expect_float_eq((double)trial_find(&t, "y")->finish_ns * 1e-9, 3 + 100, 1e-6);
    trial_finish(&t);
}

/* x and y have both a each... y is moved to two a and x to two b at once, in the order in which it
   would not fit one by one: y first. */
Test(exchange, in_an_order_that_fails_one_by_one) {
    struct trial t;
    run(&t, THREE, "exchanges, params: {parts: 'r1.1 r0.3'}", "");
    trial_must_succeed(&t);
    cr_expect_float_eq((double)trial_find(&t, "y")->finish_ns * 1e-9, 5 + 7 + 98 / 2.0, 1e-6);
    cr_expect_float_eq((double)trial_find(&t, "x")->finish_ns * 1e-9, 5 + 7 + 98 / 4.0, 1e-6);
    trial_finish(&t);
}

/* Killed without a checkpoint, x gives its GPU at once to z, and loses its 2 samples. */
Test(exchange, of_a_killed_job_for_another) {
    struct trial t;
    run(&t, THREE, "exchanges, params: {parts: 's2.0 k0'}", "");
    trial_must_succeed(&t);
    cr_expect_eq(trial_find(&t, "z")->start_ns, 5000000000);
    cr_expect_eq(trial_find(&t, "x")->preemptions, 1);
    cr_expect_eq(trial_find(&t, "x")->lost_s, 2);
    trial_finish(&t);
}

/* No exchange without all of its parts: the answer, the part to blame, which is the one refusal,
   and a run that goes on as if nothing had been asked. At 5, x and y run on the two a since 0, z
   and (later) late wait. */
Test(exchange, refused) {
    static const struct {
        const char *policy;
        enum refusal why;
    } cases[] = {
        {"exchanges, params: {parts: '', answer: -2}", REFUSED_FORM},
        {"exchanges, params: {parts: 'p0', answer: -2, count: -1}", REFUSED_FORM},
        {"exchanges, params: {parts: 'p0', answer: -2, bytes: 4}", REFUSED_FORM},
        {"exchanges, params: {parts: 'p0', answer: -2, count: 1000000}", REFUSED_FORM},
        {"exchanges, params: {parts: 'p0 ?1', answer: -2, part: 1}", REFUSED_FORM},
        {"exchanges, params: {parts: 'r0.3 s2.0 r0.2', answer: -2, part: 2}", REFUSED_TWICE},
        {"exchanges, params: {parts: 'p0 s0.0', answer: -2, part: 1}", REFUSED_TWICE},
        {"exchanges, params: {parts: 's2.2 s2.2', answer: -2, part: 1}", REFUSED_TWICE},
        {"exchanges, params: {parts: 'k0 s1.0', answer: -2, part: 1}", REFUSED_STATE},
        {"exchanges, params: {parts: 'r2.1 k0', answer: -2, part: 0}", REFUSED_STATE},
        {"exchanges, params: {parts: 'k0 p2', answer: -2, part: 1}", REFUSED_STATE},
        {"exchanges, params: {parts: 'k0 s3.0', answer: -2, part: 1}", REFUSED_STATE},
        {"exchanges, params: {parts: 'k0 s9.0', answer: -2, part: 1}", REFUSED_NO_SUCH_JOB},
        {"exchanges, params: {parts: 'r0.3 s2.7', answer: -2, part: 1}", REFUSED_CONFIG},
        /* x is to have what it has: its GPU does not change hands */
        {"exchanges, params: {parts: 'r0.0 s2.0', answer: -1, part: 1}", REFUSED_NOFIT},
        {"exchanges, params: {parts: 'r0.3 s2.2', answer: -1, part: 1}", REFUSED_NOFIT},
        {"exchanges, params: {parts: 's2.3 r0.2', answer: -1, part: 1}", REFUSED_NOFIT},
        /* x writes a checkpoint of 2 s first */
        {"exchanges, params: {parts: 'p0 s2.0', answer: -1, part: 1}", REFUSED_NOFIT},
        {"exchanges_capped, params: {parts: 'r0.3 s2.0', answer: -3, part: 1}", REFUSED_CAP},
        {"exchanges_alone, params: {parts: 's2.2 p0', answer: -2, part: 1}", REFUSED_CAPABILITY},
        {"exchanges_alone, params: {parts: 'r0.2 s2.0', answer: -2, part: 0}", REFUSED_CAPABILITY},
    };
    static const char jobs[] = THREE "late,30,m,10\n";
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trial t;
        const char *cap = strstr(cases[i].policy, "capped") ? ", power_cap_w: 380" : "";
        run(&t, jobs, cases[i].policy, cap);
        cr_assert_eq(t.status, 0, "%s: %s", cases[i].policy, t.failure);
        for (int r = 0; r < REFUSAL_COUNT; r++)
            cr_expect_eq(t.refused[r], r == (int)cases[i].why, "%s: \"%s\" %llu times",
                         cases[i].policy, refusal_names[r], (unsigned long long)t.refused[r]);
        cr_expect_eq(trial_find(&t, "x")->finish_ns, 103000000000, "%s", cases[i].policy);
        cr_expect_eq(trial_find(&t, "y")->finish_ns, 103000000000, "%s", cases[i].policy);
        cr_expect_eq(trial_find(&t, "z")->start_ns, 103000000000, "%s", cases[i].policy);
        cr_expect(strstr(t.decisions_csv.text, refusal_names[cases[i].why]), "%s",
                  t.decisions_csv.text);
        trial_finish(&t);
    }
}

/* With limits each GPU number has five configurations. z, on b, would need 350 W of 345: x makes
   room, for it counts ctx_w, 90 W, under its least limit, 40 W. It keeps its GPU, and from 5.1 on
   its speed is 1 / (0.7 + 0.21 / 0.1) by the law of semantics 37; 2.1 samples are done then. */
Test(exchange, of_power_limits_in_place) {
    struct trial t;
    run(&t, THREE, "exchanges_limited, params: {power_limits: true, parts: 'r0.4 s2.10'}",
        ", power_cap_w: 345");
    trial_must_succeed(&t);
    cr_expect_float_eq((double)trial_find(&t, "x")->finish_ns * 1e-9, 5.1 + 97.9 * 2.8, 1e-6);
    cr_expect_eq(trial_find(&t, "x")->resizes, 0);
    cr_expect_eq(trial_find(&t, "z")->start_ns, 5000000000);
    cr_expect(strstr(t.decisions_csv.text, ",5.0,resize,x,a,1,1.0,ok,40.0\n"), "%s",
              t.decisions_csv.text);
    trial_finish(&t);
}

/* A job that is to have what it has is left alone, whatever the others do. */
Test(exchange, that_leaves_a_job_alone) {
    struct trial t;
    run(&t, THREE, "exchanges, params: {parts: 'r0.0 s2.2'}", "");
    trial_must_succeed(&t);
    cr_expect_eq(trial_find(&t, "z")->start_ns, 5000000000);
    cr_expect_eq(trial_find(&t, "x")->finish_ns, 103000000000);
    cr_expect_eq(trial_find(&t, "x")->resizes, 0);
    cr_expect_null(strstr(t.decisions_csv.text, "resize"), "%s", t.decisions_csv.text);
    trial_finish(&t);
}

/* Under --strict the part that is to blame is named. */
Test(exchange, refused_under_strict) {
    struct trial t;
    trial_run(&t, &(struct trial_options){.jobs = THREE, .models = models, .strict = true},
              "name: n\nhorizon: drain\nmodels: models.yaml\npolicy: {name: exchanges, params: "
              "{parts: 'r0.3 s2.2', answer: -1, part: 1}}\n" CLUSTER TRIAL_JOBS,
              "");
    cr_expect_eq(t.status, ERROR_RUN);
    cr_expect_str_eq(t.failure, "policy exchanges: start of job z refused: not enough free GPUs "
                                "(at t = 5 s)");
    trial_finish(&t);
}

/* Not preemptible. */
Test(exchange, of_a_job_that_stays) {
    struct trial t;
    trial_run(&t, &(struct trial_options){.jobs = THREE, .models = models},
              "name: n\nhorizon: drain\nmodels: models.yaml\npolicy: {name: exchanges, params: "
              "{parts: 's2.2 k0', answer: -2, part: 1}}\n" CLUSTER
              "workload: {kind: trace, file: jobs.csv, preemptible: false}\n",
              "");
    trial_must_succeed(&t);
    cr_expect_eq(t.refused[REFUSED_NOT_PREEMPTIBLE], 1);
    trial_finish(&t);
}

/* Random exchanges, accepted and refused, with everything that GPUs may do: the plug-in compares
   trials with plans, and all invariants are checked after each event. */
Test(exchange, at_random) {
    static const char *const worlds[] = {"", ", interference: {slowdown_per_neighbour: 0.3}",
                                         ", pue: 1.2"};
    static const char *const types[] = {"", ", sleep_w: 8, sleep_after: 5, wake_s: 2", ""};
    static const char *const nodes[] = {"", "", ", mtbf: 400, mttr: 30"};
    static const char *const caps[] = {"", ", power_cap_w: 750", "", ", power_cap_w: 650"};
    uint64_t accepted = 0, over = 0;
    for (unsigned seed = 1; seed <= 18; seed++) {
        struct trial t;
        struct str jobs = {0};
        str_add(&jobs, "job_id,submit_s,model,work_samples,duration_s,gpus,gpu_share\n");
        for (unsigned j = 0; j < 30; j++)
            if (j % 5 == 4)
                str_addf(&jobs, "j%u,%u,,,%u,1,0.%u\n", j, j * 7, 20 + j * seed % 40,
                         1 + (j + seed) % 8);
            else
                str_addf(&jobs, "j%u,%u,m,%u,,,\n", j, j * 7, 20 + (j * 37 + seed * 11) % 150);
        trial_run(&t, &(struct trial_options){.jobs = jobs.text, .models = models},
                  "name: n\nhorizon: drain\nseed: %u\nmodels: models.yaml\npolicy: {name: "
                  "shuffles%s}\nnoise: {speed_sigma: 0.2}\n"
                  "cluster: {gpu_types: [{name: a, idle_w: 50, ctx_w: 90, tdp_w: 100%s}, {name: b, "
                  "idle_w: 50, ctx_w: 90, tdp_w: 100}], nodes: [{gpu: a, gpus: 3, count: 2%s}, "
                  "{gpu: b, gpus: 4}]%s%s}\n" TRIAL_JOBS,
                  seed, seed % 2 ? "_capped" : "", types[seed % 3], nodes[seed % 3],
                  worlds[seed % 3], caps[seed % 4]);
        trial_must_succeed(&t);
        cr_expect_eq(t.summaries->jobs_finished, 30, "seed %u", seed);
        for (size_t i = 0; i < t.counted.entries.count; i++)
            *(strncmp(t.counted.entries.at[i].reason, "ex", 2) == 0 ? &accepted : &over) +=
                t.counted.entries.at[i].count;
        str_finish(&jobs);
        trial_finish(&t);
    }
    cr_expect_gt(accepted, 300, "%llu exchanges", (unsigned long long)accepted);
    cr_expect_gt(over, 30, "%llu over the cap", (unsigned long long)over);
}
