/* charon: decisions on small cases worked out by hand, and no watt over the cap on the seed
 * scenario. */
#include "../support/policy_case.h"
#include "../support/temp_dir.h"

#include <criterion/criterion.h>
#include <math.h>

TestSuite(charon, .init = temp_dir_enter, .fini = temp_dir_leave);

/* 4 GPUs: 50 W each when free, 200 W in all; rigid jobs draw 50 + 350 u W a GPU, and count at least
 * ctx_w, 90 W. */
#define CAPPED(cap) \
    "cluster: {gpu_types: [{name: g, idle_w: 50, ctx_w: 90, tdp_w: 400}], nodes: [{gpu: g, gpus: 4}], power_cap_w: " #cap \
    "}\n"
#define POWER "job_id,submit_s,gpus,duration_s,utilization\n"
#define MODEL "job_id,submit_s,gpus,duration_s,model,work_samples\n"

static const struct policy_case decisions[] = {
    /* one job: 550 W, two: 900 W */
    {"waits for watts",
     "{name: charon}",
     CAPPED(600),
     NULL,
     POWER "a,0,1,10,1\nb,1,1,5,1\n",
     {{"a", 0, 10, 1, 0}, {"b", 10, 15, 1, 0}}},
    {"exactly the cap",
     "{name: charon}",
     CAPPED(900),
     NULL,
     POWER "a,0,1,10,1\nb,1,1,5,1\n",
     {{"a", 0, 10, 1, 0}, {"b", 1, 6, 1, 0}}},
    /* c draws 50 W but counts as 90: 550 + 40 = 590 <= 600, though b waits before it */
    {"goes on to the next job",
     "{name: charon}",
     CAPPED(600),
     NULL,
     POWER "a,0,1,10,1\nb,1,1,5,1\nc,2,1,3,0\n",
     {{"a", 0, 10, 1, 0}, {"b", 10, 15, 1, 0}, {"c", 2, 5, 1, 0}}},
    /* 590 > 589. At 10 c (sqrt(EDP*) = sqrt(50) * 3 = 21) goes before b (100), and b waits for
       it */
    {"counts the context",
     "{name: charon}",
     CAPPED(589),
     NULL,
     POWER "a,0,1,10,1\nb,1,1,5,1\nc,2,1,3,0\n",
     {{"a", 0, 10, 1, 0}, {"c", 10, 13, 1, 0}, {"b", 13, 18, 1, 0}}},
    /* flat at 100 W a GPU: 1, 2, 4 GPUs make 250, 300, 400 W; EDP is least on 2, time on 4 */
    {"least EDP",
     "{name: charon}",
     CAPPED(300),
     NULL,
     MODEL "a,0,,,flat,4\n",
     {{"a", 0, 2.5, 2, 0}}},
    {"least EDP within the cap",
     "{name: charon}",
     CAPPED(299),
     NULL,
     MODEL "a,0,,,flat,4\n",
     {{"a", 0, 4, 1, 0}}},
    {"base pollux",
     "{name: charon, params: {base: pollux}}",
     CAPPED(400),
     NULL,
     MODEL "a,0,,,flat,4\n",
     {{"a", 0, 2, 4, 0}}},
    {"base pollux within the cap",
     "{name: charon, params: {base: pollux}}",
     CAPPED(399),
     NULL,
     MODEL "a,0,,,flat,4\n",
     {{"a", 0, 2.5, 2, 0}}},
    /* at 10: b (8 s at 50 W) EDP 3200 before c (6 s at 400 W) EDP 14400; by time c is first */
    {"order of zeus",
     "{name: charon}",
     CAPPED(550),
     NULL,
     POWER "a,0,4,10,0\nb,1,1,8,0\nc,2,1,6,1\n",
     {{"b", 10, 18, 1, 0}, {"c", 18, 24, 1, 0}}},
    {"order of pollux",
     "{name: charon, params: {base: pollux}}",
     CAPPED(550),
     NULL,
     POWER "a,0,4,10,0\nb,1,1,8,0\nc,2,1,6,1\n",
     {{"c", 10, 16, 1, 0}, {"b", 16, 24, 1, 0}}},
    /* x holds 2 GPUs and 900 W until 10. a runs on 1; at 10 all are free, and 2 GPUs are what
       300 W allow: 3 samples left at 1.6/s */
    {"resizes within the cap",
     "{name: charon, params: {base: pollux, resize: true}}",
     "cluster: {gpu_types: [{name: g, idle_w: 50, ctx_w: 90, tdp_w: 100}], nodes: [{gpu: g, gpus: 4}], power_cap_w: 300}\n",
     NULL,
     MODEL "x,0,1,10,,\na,1,,,flat,12\n",
     {{"a", 1, 11.875, 2, 0}}},
    {"no cap, no limit",
     "{name: charon}",
     TRIAL_CLUSTER(4),
     NULL,
     POWER "a,0,1,10,1\nb,1,3,5,1\n",
     {{"a", 0, 10, 1, 0}, {"b", 1, 6, 3, 0}}},
};

Test(charon, decisions) {
    policy_cases_run(decisions, sizeof decisions / sizeof *decisions);
}

/* With nodes of 30 W and 5 W for each busy GPU, free GPUs draw 4 * 50 + 30 = 230 W; on 1 GPU a
   makes 230 + 350 + 5 = 585 W, b on 2 GPUs 940 W. c counts 230 + 40 + 5 = 275 W. */
Test(charon, rejects_what_can_never_run) {
    static const struct {
        double cap_w;
        const char *policy;
        bool a, b, c; /* rejected */
    } cases[] = {{940, "charon", false, false, false}, {939, "charon", false, true, false},
                 {585, "charon", false, true, false},  {584.5, "charon", true, true, false},
                 {275, "charon", true, true, false},   {274, "charon", true, true, true},
                 {100, "charon", true, true, true}, /* less than the empty cluster */
                 {100, "zeus", false, false, false}};
    static const char *const reason =
        "over the power cap in every configuration, even alone on the cluster";
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trial t;
        trial_run(
            &t,
            &(struct trial_options){.jobs = POWER "a,0,1,10,1\nb,1,2,5,1\nc,2,1,3,0\n",
                                    .policy = cases[i].policy,
                                    .strict = true},
            "name: n\n"
            "horizon: drain\n"
            "policy: {name: fcfs}\n"
            "cluster: {gpu_types: [{name: g, idle_w: 50, ctx_w: 90, tdp_w: 400}], power_cap_w: %g, nodes: [{gpu: g, gpus: 4, base_w: 30, cpu_w_per_busy_gpu: 5}]}\n" TRIAL_JOBS,
            cases[i].cap_w);
        trial_must_succeed(&t);
        const bool rejected[] = {cases[i].a, cases[i].b, cases[i].c};
        for (int j = 0; j < 3; j++) {
            cr_expect_eq(t.jobs[j].state, rejected[j] ? EASIM_JOB_REJECTED : EASIM_JOB_FINISHED,
                         "%g W: job %d", cases[i].cap_w, j);
            cr_expect_str_eq(t.jobs[j].reason, rejected[j] ? reason : "", "%g W: job %d",
                             cases[i].cap_w, j);
        }
        trial_finish(&t);
    }
}

/* What the objective admits counts as well. 4 GPUs as above; flat draws 250, 300, 400 W on 1, 2, 4
   of them, at 100, 78.125 and 100 % of W^2 for EDP, and 1, 0.625 and 0.5 W for time, W samples. In
   model slow a set-up of 10 s at 90 W makes one sample cheapest on 1 GPU (900 + 100) * 11 = 11,000
   Js, not on 2: 2 * (900 + 62.5) * 10.625 = 20,453; and 100 samples on 2: 2 * (900 + 6250) * 72.5 =
   1,036,750, not on 1: (900 + 10,000) * 110 = 1,199,000. */
#define MODELS \
    "models:\n" \
    "  - {name: flat, m0: 9, phi: 1, batches: [1], " RATES \
    "  - {name: slow, m0: 9, phi: 1, batches: [1], start_s: 10, " RATES
#define RATES \
    "gpus: {g: {evidence: assumed, source: by hand, lookup: [\n" \
    "      {k: 1, batch: 1, throughput_samples_s: 1, power_w_per_gpu: 100},\n" \
    "      {k: 2, batch: 1, throughput_samples_s: 1.6, power_w_per_gpu: 100},\n" \
    "      {k: 4, batch: 1, throughput_samples_s: 2, power_w_per_gpu: 100}]}}}\n"

static const char *const over_cap =
    "over the power cap in every configuration, even alone on the cluster";
static const char *const over_cap_as_admitted =
    "over the power cap in every configuration that the policy admits, even alone on the cluster";

static void run_admission(struct trial *t, const char *policy, const char *cap, const char *jobs) {
    static struct trial_options options;
    options = (struct trial_options){.jobs = jobs, .models = MODELS};
    trial_run(
        t, &options,
        "name: n\n"
        "horizon: drain\n"
        "models: models.yaml\n"
        "policy: %s\n"
        "cluster: {gpu_types: [{name: g, idle_w: 50, ctx_w: 90, tdp_w: 400}], nodes: [{gpu: g, gpus: 4}]%s}\n" TRIAL_JOBS,
        policy, cap);
}

Test(charon, rejects_what_it_never_admits) {
    static const struct {
        const char *policy, *cap, *jobs, *reason; /* of the first job; NULL: it runs, on k GPUs */
        uint32_t k;
    } cases[] = {
#define SLACK(slack) "{name: charon, params: {edp_slack: " slack "}}"
#define TIME(slack)  "{name: charon, params: {base: pollux, time_slack: " slack "}}"
#define JOB(job)     "job_id,submit_s,model,work_samples\n" job "\n"
        {SLACK("1"), ", power_cap_w: 300", JOB("a,0,flat,4"), NULL, 2},
        {SLACK("1"), ", power_cap_w: 299", JOB("a,0,flat,4"), over_cap_as_admitted, 0},
        {SLACK("1.27"), ", power_cap_w: 299", JOB("a,0,flat,4"), over_cap_as_admitted, 0},
        {SLACK("1.29"), ", power_cap_w: 299", JOB("a,0,flat,4"), NULL, 1},
        {SLACK("off"), ", power_cap_w: 299", JOB("a,0,flat,4"), NULL, 1},
        {SLACK("off"), ", power_cap_w: 249", JOB("a,0,flat,4"), over_cap, 0},
        {SLACK("1"), ", power_cap_w: 249", JOB("a,0,flat,4"), over_cap, 0},
        /* by the work of the job, not by its model */
        {SLACK("1"), ", power_cap_w: 299", JOB("a,0,slow,1"), NULL, 1},
        {SLACK("1"), ", power_cap_w: 299", JOB("a,0,slow,100"), over_cap_as_admitted, 0},
        /* by time */
        {TIME("1"), ", power_cap_w: 400", JOB("a,0,flat,4"), NULL, 4},
        {TIME("1"), ", power_cap_w: 399", JOB("a,0,flat,4"), over_cap_as_admitted, 0},
        {TIME("1.25"), ", power_cap_w: 399", JOB("a,0,flat,4"), NULL, 2},
        {TIME("1.25"), ", power_cap_w: 299", JOB("a,0,flat,4"), over_cap_as_admitted, 0},
        {TIME("off"), ", power_cap_w: 299", JOB("a,0,flat,4"), NULL, 1},
        /* without a cap there always is a configuration that the objective admits, the best one */
        {SLACK("1"), "", JOB("a,0,flat,4"), NULL, 2},
        {TIME("1"), "", JOB("a,0,flat,4"), NULL, 4},
        /* of no concern to a policy without POWER_CAP */
        {"{name: zeus, params: {edp_slack: 1}}", ", power_cap_w: 299", JOB("a,0,flat,4"), NULL, 2},
        /* a free policy with POWER_CAP says nothing of what it admits */
        {"{name: resize_at, params: {at: 1000}}", ", power_cap_w: 299", JOB("a,0,flat,4"), NULL, 1},
        {"{name: resize_at, params: {at: 1000}}", ", power_cap_w: 249", JOB("a,0,flat,4"), over_cap,
         0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trial t;
        run_admission(&t, cases[i].policy, cases[i].cap, cases[i].jobs);
        cr_assert_eq(t.status, 0, "case %zu: %s", i, t.failure);
        cr_expect_eq(t.jobs[0].state, cases[i].reason ? EASIM_JOB_REJECTED : EASIM_JOB_FINISHED,
                     "case %zu", i);
        cr_expect_str_eq(t.jobs[0].reason, cases[i].reason ? cases[i].reason : "", "case %zu: %s",
                         i, t.jobs[0].reason);
        cr_expect_eq(t.jobs[0].k, cases[i].k, "case %zu: %u GPUs", i, t.jobs[0].k);
        trial_finish(&t);
    }
}

/* Others are not touched by it: r is rejected at 5 while a (until 10) runs, b starts beside a as if
 * r were not. */
Test(charon, rejects_one_of_many) {
    struct trial t;
    run_admission(&t, SLACK("1"), ", power_cap_w: 299",
                  "job_id,submit_s,gpus,duration_s,utilization,model,work_samples\n"
                  "a,0,1,10,0,,\n"
                  "r,5,,,,flat,4\n"
                  "b,6,1,3,0,,\n");
    trial_must_succeed(&t);
    cr_expect_str_eq(trial_find(&t, "r")->reason, over_cap_as_admitted);
    cr_expect_eq(trial_find(&t, "r")->start_ns, -1);
    cr_expect_eq(trial_find(&t, "a")->finish_ns, 10000000000);
    cr_expect_eq(trial_find(&t, "b")->start_ns, 6000000000);
    cr_expect_eq(t.summaries->jobs_rejected, 1);
    trial_finish(&t);
}

/* A cap that may rise rejects nobody: flat waits for 300 W, from 50 on; and where they never come
 * the run says so.
 */
Test(charon, waits_for_a_cap_that_changes) {
    for (int rises = 0; rises < 2; rises++) {
        struct trial t;
        temp_file_write_text("cap.csv", rises ? "time_s,power_w\n0,299\n50,300\n"
                                              : "time_s,power_w\n0,299\n50,298\n");
        run_admission(&t, SLACK("1"), ", power_cap_w: {file: cap.csv}", JOB("a,0,flat,4"));
        if (rises) {
            trial_must_succeed(&t);
            cr_expect_eq(t.jobs[0].start_ns, 50000000000);
        } else {
            cr_expect_str_eq(
                t.failure,
                "policy charon leaves 1 jobs waiting for ever: nothing runs, nothing will happen, 4 of 4 GPUs are free; "
                "the first of them is job a (at t = 50 s)");
        }
        trial_finish(&t);
    }
}

/* The workload of configs/eas-sim.yaml, 2 replications, on its GPUs under a cap. */
static void run_seed(struct trial *t, const char *cap, const char *nodes, const char *params) {
    trial_run(
        t, &(struct trial_options){.strict = true},
        "name: n\n"
        "horizon: 10h\n"
        "seed: 1\n"
        "replications: 2\n"
        "models: ${EASIM_SOURCE}/configs/models/eas-sim.yaml\n"
        "cluster:\n"
        "  power_cap_w: %s\n"
        "  gpu_types:\n"
        "    - {name: a100, idle_w: 60, ctx_w: 98, tdp_w: 400, memory_gib: 80, sleep_w: 20, sleep_after: 5min, wake_s: 10}\n"
        "    - {name: h100, idle_w: 70, ctx_w: 110, tdp_w: 700, memory_gib: 80}\n"
        "  nodes: [%s]\n"
        "workload:\n"
        "  kind: poisson\n"
        "  rate_per_s: 0.005\n"
        "  k: [1, 2, 4, 8]\n"
        "  mix: [{model: vit-base-fp32}, {model: albert-v2-bf16}, {model: resnet50-fp32}]\n"
        "  sizes: {law: lognormal, mean: 4.85h, cv: 1.5}\n"
        "  users: 8\n"
        "  deadlines: {share: 0.3, slack: [1.5, 6]}\n"
        "policy: {name: charon, params: %s}\n",
        cap, nodes, params);
    trial_must_succeed(t);
    for (uint32_t r = 0; r < t->count; r++) {
        cr_expect_eq(t->summaries[r].cap_violation_s, 0, "%s: %g s", cap,
                     t->summaries[r].cap_violation_s);
        cr_expect_gt(t->summaries[r].jobs_finished, 5);
    }
    for (size_t p = 0; p < t->power.at.count; p++)
        cr_expect_leq((double)t->power.at.at[p].power_nw, t->power.at.at[p].cap_w * 1e9,
                      "%s: row %zu", cap, p);
}

static const char *const variants[] = {"{}", "{base: pollux}", "{resize: true, shrink: true}"};

/* Three caps: 16 free GPUs draw 1040 W, all at work up to 8800 W. */
Test(charon, never_over_the_cap) {
    static const double caps_w[] = {2500, 4000, 6000};
    for (int i = 0; i < 9; i++) {
        struct trial t;
        double cap_w = caps_w[i % 3];
        char cap[32];
        snprintf(cap, sizeof cap, "%g", cap_w);
        run_seed(&t, cap, "{gpu: a100, gpus: 8}, {gpu: h100, gpus: 8}", variants[i / 3]);
        for (uint32_t r = 0; r < t.count; r++) {
            cr_expect_leq(t.summaries[r].power_max_w, cap_w);
            cr_expect_gt(t.summaries[r].power_max_w, 0.8 * cap_w, "%g W: at most %g W", cap_w,
                         t.summaries[r].power_max_w);
        }
        trial_finish(&t);
    }
}

/* A cap that falls four times and rises in between, on nodes that fail about twice each and whose
   power, 200 W and 20 W for each GPU at work, counts against it: idle, they draw 1840 W. A repair
   brings power back as well. */
Test(charon, falling_cap_and_failures) {
    FILE *file = fopen("cap.csv", "w");
    cr_assert(file);
    fputs(
        "time_s,power_w\n1000,8000\n5000,6000\n9000,4000\n15000,7000\n20000,2500\n30000,9000\n33000,3500\n",
        file);
    fclose(file);
    for (int i = 0; i < 3; i++) {
        struct trial t;
        run_seed(
            &t, "{file: cap.csv}",
            "{count: 2, gpu: a100, gpus: 4, cpu_idle_w: 200, cpu_w_per_busy_gpu: 20, mtbf: 5h, mttr: 30min}, {count: 2, gpu: h100, gpus: 4, cpu_idle_w: 200, cpu_w_per_busy_gpu: 20, mtbf: 5h, mttr: 30min}",
            variants[i]);
        for (uint32_t r = 0; r < t.count; r++) {
            cr_expect_gt(t.summaries[r].preemptions, 3);
            cr_expect_gt(t.summaries[r].job_failures, 1);
        }
        trial_finish(&t);
    }
}

/* From 1 s on s (sla) and h draw 400 W, l, m and n 225 W, 1475 W in all. One that stops takes 350
   or 175 W away, and the caps leave 1 W too little for the last that stopped, so that none comes
   back before 20. Who stops: best-effort first, then most power, then latest start, then last
   submitted: h, n, m, l, s. */
Test(charon, who_stops_when_the_cap_falls) {
    static const char *const jobs[] = {"s,0,1,100,1,sla\n"
                                       "h,0,1,100,1,best_effort\n"
                                       "l,0,1,100,0.5,best_effort\n"
                                       "m,0,1,100,0.5,best_effort\n"
                                       "n,1,1,100,0.5,best_effort\n",
                                       "l,0,1,100,0.5,best_effort\n"
                                       "m,0,1,100,0.5,best_effort\n"
                                       "h,0,1,100,1,best_effort\n"
                                       "s,0,1,100,1,sla\n"
                                       "n,1,1,100,0.5,best_effort\n",
                                       /* n comes first, and starts last: it waits for x */
                                       "n,0,1,101,0.5,best_effort\n"
                                       "l,0,1,100,0.5,best_effort\n"
                                       "m,0,1,100,0.5,best_effort\n"
                                       "h,0,1,60,1,best_effort\n"
                                       "s,0,1,60,1,sla\n"
                                       "x,0,1,1,0,sla\n"};
    static const struct {
        double cap_w; /* from 10 to 20 s */
        const char *stopped;
    } cases[] = {{1475, ""},   {1474, "h"},   {1124, "hn"},
                 {949, "hnm"}, {774, "hnml"}, {424, "hnmls"}};
    for (size_t order = 0; order < sizeof jobs / sizeof *jobs; order++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            struct trial t;
            char cap[80], table[300];
            snprintf(cap, sizeof cap, "time_s,power_w\n10,%g\n20,10000\n", cases[i].cap_w);
            temp_file_write_text("cap.csv", cap);
            snprintf(table, sizeof table, "job_id,submit_s,gpus,duration_s,utilization,class\n%s",
                     jobs[order]);
            trial_run(
                &t, &(struct trial_options){.jobs = table, .policy = "charon", .strict = true},
                "name: n\n"
                "horizon: drain\n"
                "policy: {name: fcfs}\n"
                "cluster: {gpu_types: [{name: g, idle_w: 50, ctx_w: 90, tdp_w: 400}], nodes: [{gpu: g, gpus: 5}], power_cap_w: {file: cap.csv}}\n" TRIAL_JOBS);
            trial_must_succeed(&t);
            for (size_t j = 0; j < t.job_count; j++)
                cr_expect_eq(t.jobs[j].preemptions,
                             strchr(cases[i].stopped, t.jobs[j].id[0]) != NULL,
                             "%g W, order %zu: %s is stopped %u times", cases[i].cap_w, order,
                             t.jobs[j].id, t.jobs[j].preemptions);
            trial_finish(&t);
        }
}
