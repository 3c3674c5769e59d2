/* plan_resize and try_config by hand: plug-in resize_at starts job a on 1 GPU and resizes it at one
   time. Model m makes 1, 1.6 and 2 samples/s on 1, 2 and 4 GPUs of 100 W; a GPU in set-up draws 90
   W, a free one 50 W. */
#include "../support/scenario.h"
#include "../support/temp_dir.h"

#include <criterion/criterion.h>
#include <math.h>

TestSuite(plan_resize, .init = temp_dir_enter, .fini = temp_dir_leave);

#define NODES(nodes) \
    "{gpu_types: [{name: g, idle_w: 50, ctx_w: 90, tdp_w: 400}], nodes: [{gpu: g, gpus: 4}" nodes \
    "]}"
#define JOBS "job_id,submit_s,gpus,duration_s,model,work_samples\na,0,,,m,100\n"

static void run(struct trial *t, const char *cluster, const char *costs, const char *params,
                const char *jobs, bool strict) {
    static char models[1024];
    static struct trial_options options;
    options = (struct trial_options){.jobs = jobs, .models = models, .strict = strict};
    snprintf(
        models, sizeof models,
        "models: [{name: m, m0: 9, phi: 1, batches: [1], %s, gpus: {g: {evidence: assumed, source: by hand, lookup: [{k: 1, batch: 1, throughput_samples_s: 1, power_w_per_gpu: 100}, {k: 2, batch: 1, throughput_samples_s: 1.6, power_w_per_gpu: 100}, {k: 4, batch: 1, throughput_samples_s: 2, power_w_per_gpu: 100}]}}}]\n",
        costs);
    trial_run(t, &options,
              "name: n\n"
              "horizon: drain\n"
              "models: models.yaml\n"
              "cluster: %s\n"
              "policy: {name: resize_at, params: %s}\n" TRIAL_JOBS,
              cluster, params);
}

static void expect_near(double found, double expected, const char *name, const char *what) {
    cr_expect(fabs(found - expected) <= 1e-9, "%s: %s is %.17g, not %.17g", name, what, found,
              expected);
}

/* a runs on 1 GPU for before_s, then on k; setup_s and computing_s are those afterwards. */
struct resize_case {
    const char *name, *costs, *params;
    double before_s, setup_before_s, setup_s, computing_s, lost_s;
    uint32_t k, nodes;
};

static void run_case(const struct resize_case *c) {
    struct trial t;
    run(&t, NODES(", {gpu: g, gpus: 1}"), c->costs, c->params, JOBS, true);
    cr_assert_eq(t.status, 0, "%s: %s", c->name, t.failure);
    const struct trial_job *a = trial_find(&t, "a");
    double finish_s = c->before_s + c->setup_s + c->computing_s, after_s = finish_s - c->before_s;
    double setup_j = 90 * (c->setup_before_s + c->k * c->setup_s);
    double energy_j = setup_j + 100 * (c->before_s - c->setup_before_s + c->k * c->computing_s);
    double gpu_s = c->before_s + c->k * after_s;
    cr_expect_eq(a->finish_ns, llround(finish_s * 1e9), "%s: ends at %.9f s, not %.9f", c->name,
                 (double)a->finish_ns / 1e9, finish_s);
    cr_expect_eq(a->start_ns, 0);
    cr_expect(a->k == c->k && a->nodes == c->nodes, "%s: %u GPUs of %u nodes", c->name, a->k,
              a->nodes);
    cr_expect(a->resizes == 1 && a->preemptions == 0, "%s", c->name);
    expect_near(a->energy_j, energy_j, c->name, "energy_j");
    expect_near(a->gpu_s, gpu_s, c->name, "gpu_s");
    expect_near(a->exec_s, finish_s, c->name, "exec_s");
    expect_near(a->lost_s, c->lost_s, c->name, "lost_s");
    expect_near(a->lost_j, 100 * c->lost_s, c->name, "lost energy");
    expect_near(trial_cell(&t, "a", "resizes"), 1, c->name, "resizes of jobs.csv");
    expect_near(t.summaries->resizes, 1, c->name, "resizes");
    expect_near(t.summaries->preemptions, 0, c->name, "preemptions");
    expect_near(t.summaries->interruptions_per_job, 1, c->name, "interruptions");
    expect_near(t.summaries->lost_gpu_h * 3600, c->lost_s, c->name, "lost_gpu_h");
    expect_near(t.summaries->energy_setup_kwh * 3.6e6, setup_j, c->name, "energy_setup_kwh");
    expect_near(t.summaries->energy_idle_kwh * 3.6e6, 50 * (5 * finish_s - gpu_s), c->name,
                "idle energy");
    expect_near(t.summaries->work_done_gpu_h * 3600, 100, c->name, "work done");
    trial_finish(&t);
}

Test(plan_resize, costs) {
    static const struct resize_case cases[] = {
        /* set-up 0..3, 20.385 samples at 23.385; the checkpoint is paid on the new GPUs: 5 + 2 s,
         * then 79.615 / 1.6
         */
        {"checkpoint on demand", "start_s: 3, restart_s: 5, checkpoint_s: 2", "{at: 23.385}",
         23.385, 3, 7, 79.615 / 1.6, 0, 2, 1},
        /* its own GPU is one of the four of the node */
        {"own GPU and free ones", "start_s: 3, restart_s: 5, checkpoint_s: 2",
         "{at: 23.385, to: 2}", 23.385, 3, 7, 79.615 / 2, 0, 4, 1},
        /* every 8 s: 16 of 20.385 s are kept; no checkpoint on demand */
        {"periodic checkpoints",
         "start_s: 3, restart_s: 5, checkpoint_s: 2, checkpoint_interval_s: 8", "{at: 23.385}",
         23.385, 3, 5, 84 / 1.6, 4.385, 2, 1},
        {"just at a checkpoint", "start_s: 3, restart_s: 5, checkpoint_interval_s: 8", "{at: 19}",
         19, 3, 5, 84 / 1.6, 0, 2, 1},
        /* nothing is done yet, nothing written */
        {"during set-up", "start_s: 3, restart_s: 5, checkpoint_s: 2", "{at: 1.5}", 1.5, 1.5, 5,
         100 / 1.6, 0, 2, 1},
        {"free of cost", "start_s: 0", "{at: 23.385}", 23.385, 0, 0, 76.615 / 1.6, 0, 2, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        run_case(&cases[i]);
}

/* Nodes of 2 and 2: a is with x on node 0 (fewest free); 2 GPUs are on node 1 only, 3 or more
   nowhere together. When x is gone at 20, 4 are, across both. */
Test(plan_resize, placement) {
    static const struct {
        const char *params;
        uint32_t k, nodes;
    } cases[] = {{"{at: 10, to: 1}", 2, 1}, {"{at: 25, to: 2}", 4, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trial t;
        run(&t,
            "{gpu_types: [{name: g, idle_w: 50, tdp_w: 400}], nodes: [{count: 2, gpu: g, gpus: 2}]}",
            "restart_s: 1", cases[i].params, JOBS "x,0,1,20,,\n", true);
        trial_must_succeed(&t);
        cr_expect_eq(trial_find(&t, "a")->k, cases[i].k);
        cr_expect_eq(trial_find(&t, "a")->nodes, cases[i].nodes);
        cr_expect_eq(trial_find(&t, "x")->finish_ns, 20000000000);
        trial_finish(&t);
    }
}

#define CAPPED(cap) \
    "{gpu_types: [{name: g, idle_w: 50, ctx_w: 90, tdp_w: 400}], power_cap_w: " #cap \
    ", nodes: [{gpu: g, gpus: 4}]}"

/* What is refused leaves a (100 s on 1 GPU) as it was, but for "twice" and "then preempted": 10 +
 * 90 / 1.6. */
Test(plan_resize, refusals) {
    static const struct {
        const char *params, *cluster, *jobs;
        enum refusal why;
        double finish_s;
    } cases[] = {
        {"{kind: same}", NODES(""), JOBS, REFUSED_NOT, 100}, /* nothing happens */
        {"{kind: same_again}", NODES(""), JOBS, REFUSED_NOT, 66.25},
        {"{kind: foreign}", NODES(""), JOBS, REFUSED_CONFIG, 100},
        {"{kind: no_such_job}", NODES(""), JOBS, REFUSED_NO_SUCH_JOB, 100},
        {"{kind: waiting}", NODES(""), JOBS "b,1,4,3,,\n", REFUSED_STATE, 100},
        {"{kind: new}", NODES(""), JOBS "b,10,,,m,1\n", REFUSED_STATE, 100},
        {"{kind: twice}", NODES(""), JOBS, REFUSED_STATE, 66.25},
        {"{kind: then_preempt}", NODES(""), JOBS, REFUSED_STATE, 66.25},
        {"{to: 2}", NODES(""), JOBS "b,1,1,30,,\n", REFUSED_NOFIT, 100}, /* 3 are not enough */
        /* 4 * 50 = 200 W free, 250 with a on 1 GPU, 300 on 2, 400 on 4 */
        {"{to: 1}", CAPPED(299), JOBS, REFUSED_CAP, 100},
        {"{to: 2}", CAPPED(399), JOBS, REFUSED_CAP, 100},
        {"{at: 250}", NODES(""), JOBS "b,200,1,100,,\n", REFUSED_STATE, 100}, /* a is over */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trial t;
        run(&t, cases[i].cluster, "start_s: 0", cases[i].params, cases[i].jobs, false);
        cr_assert_eq(t.status, 0, "case %zu: %s", i, t.failure);
        cr_expect_eq(trial_find(&t, "a")->finish_ns, llround(cases[i].finish_s * 1e9),
                     "case %zu: at %lld ns", i, (long long)trial_find(&t, "a")->finish_ns);
        for (int r = 0; r < REFUSAL_COUNT; r++)
            cr_expect_eq(t.refused[r], r == (int)cases[i].why, "case %zu: \"%s\" %llu times", i,
                         refusal_names[r], (unsigned long long)t.refused[r]);
        cr_expect_eq(trial_find(&t, "a")->resizes, cases[i].finish_s == 66.25, "case %zu", i);
        trial_finish(&t);
    }
}

/* Exactly the cap is not over it. */
Test(plan_resize, within_the_cap) {
    struct trial t;
    run(&t, CAPPED(400), "start_s: 0", "{to: 2}", JOBS, true);
    trial_must_succeed(&t);
    cr_expect_eq(trial_find(&t, "a")->finish_ns, 55000000000); /* 10 + 90 / 2 */
    cr_expect_eq(t.summaries->power_max_w, 400);
    trial_finish(&t);
}

/* Nodes of 4 and 1, a on the single GPU (fewest free), 250 W free, 300 W with a, whose node draws 3
 * W for it. */
Test(plan_resize, try_config) {
    static const struct {
        const char *params, *jobs, *cap;
    } cases[] = {
        {"{kind: try, to: 0, span: 0, power_w: 303}", JOBS, ""}, /* as it is */
        {"{kind: try, to: 0, span: 0, power_w: 303}", JOBS, "power_cap_w: 304, "},
        {"{kind: try, to: 1, span: -3, power_w: 350}", JOBS, "power_cap_w: 349, "},
        {"{kind: try, to: 99, span: -2}", JOBS, "power_cap_w: 349, "}, /* before the others */
        {"{kind: try, to: 2, span: -1}", JOBS "b,1,2,30,,\n", "power_cap_w: 1004, "},
        /* 2 and 4 GPUs on the node of 4: 250 + 2 * 50 + 0 W, 250 + 4 * 50 */
        {"{kind: try, to: 1, span: 0, power_w: 350}", JOBS, ""},
        {"{kind: try, to: 2, span: 0, power_w: 450}", JOBS, ""},
        /* b (400 W) takes one of the 4: 2 GPUs still fit there, 4 only with its own, across: + 350
           and + 3 */
        {"{kind: try, to: 1, span: 0, power_w: 700}", JOBS "b,1,1,30,,\n", ""},
        {"{kind: try, to: 2, span: 1, power_w: 803}", JOBS "b,1,1,30,,\n", ""},
        {"{kind: try, to: 2, span: -1}", JOBS "b,1,2,30,,\n", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trial t;
        char cluster[300];
        snprintf(cluster, sizeof cluster,
                 "{%sgpu_types: [{name: g, idle_w: 50, ctx_w: 90, tdp_w: 400}], nodes: [{gpu: g, "
                 "gpus: 4}, {gpu: g, gpus: 1, cpu_w_per_busy_gpu: 3}]}",
                 cases[i].cap);
        run(&t, cluster, "start_s: 0", cases[i].params, cases[i].jobs, true);
        cr_expect_eq(t.status, 0, "case %zu: %s", i, t.failure);
        trial_finish(&t);
    }
}

/* Resized to and fro every second, before any checkpoint: the run would never end. */
Test(plan_resize, endless) {
    struct trial t;
    run(&t, NODES(""), "checkpoint_interval_s: 8", "{at: 1, kind: endless}", JOBS, true);
    cr_expect_eq(t.status, ERROR_RUN);
    cr_expect_str_eq(
        t.failure,
        "job a was stopped 1000 times in a row without having kept any of its work (at t = 1001 s)",
        "%s", t.failure);
    trial_finish(&t);
}
