/* Limits that a policy sets while jobs run (easim.power): times and energy worked by hand from the
   law of semantics 37, what the policy sees, and what is refused. Model m makes 1 sample/s on one
   GPU and 1.6 on two, at 400 W, which is tdp_w; law s 0.3, m 0.7: at 200 W (p = 0.5) the speed is
   1 / (0.7 + 0.21 / 0.2) = 4/7, at 300 W 1 / (0.7 + 0.21 / 0.45) = 6/7, at 160 W, the least,
   1 / 2.8. A change holds 0.1 s after it was asked for. */
#include "../support/scenario.h"
#include "../support/temp_dir.h"

#include <criterion/criterion.h>
#include <math.h>

TestSuite(set_limits, .init = temp_dir_enter, .fini = temp_dir_leave);

#define COSTS(start) \
    "models: [{name: m, m0: 1000000, phi: 1, sync_bytes: 1000, batches: [1], start_s: " #start \
    ", restart_s: 5, checkpoint_s: 2, gpus: {g: {evidence: assumed, source: by hand, lookup: [{k: 1, batch: 1, throughput_samples_s: 1, power_w_per_gpu: 400}, {k: 2, batch: 1, throughput_samples_s: 1.6, power_w_per_gpu: 400}]}}}]\n"
#define ONE_JOB  "job_id,submit_s,work_samples,model\na,0,1000,m\n"
#define TWO_JOBS ONE_JOB "b,0,1000,m\n"

struct scene {
    const char *jobs, *models, *policy, *params, *more; /* NULL: as most tests have it */
};

static void run(struct trial *t, struct scene scene, const char *actions) {
    trial_run(t,
              &(struct trial_options){.jobs = scene.jobs ? scene.jobs : ONE_JOB,
                                      .models = scene.models ? scene.models : COSTS(0),
                                      .decisions = true},
              "name: n\nhorizon: drain\nmodels: models.yaml\n%s\n" TRIAL_JOBS
              "policy: {name: %s, params: {%sactions: \"%s\"}}\n",
              scene.more ? scene.more : TRIAL_CLUSTER(2),
              scene.policy ? scene.policy : "sets_limits", scene.params ? scene.params : "",
              actions);
    trial_must_succeed(t);
}

/* How often something was counted. */
static uint64_t counted(const struct trial *t, const char *what) {
    for (size_t i = 0; i < t->counted.entries.count; i++)
        if (strcmp(t->counted.entries.at[i].reason, what) == 0)
            return t->counted.entries.at[i].count;
    return 0;
}

static void expect_end(const struct trial *t, const char *job, double end_s, double energy_j) {
    const struct trial_job *j = trial_find(t, job);
    cr_expect_float_eq((double)j->finish_ns / 1e9, end_s, 2e-9, "%s: %.9f s, expected %.9f", job,
                       (double)j->finish_ns / 1e9, end_s);
    cr_expect_float_eq(j->energy_j, energy_j, 1e-5, "%s: %.6f J, expected %.6f", job, j->energy_j,
                       energy_j);
}

Test(set_limits, holds_after_the_delay) {
    struct trial t;
    run(&t, (struct scene){0},
        "0 start 0 0, 0 see 0, 100 limit 0 200, 100 see 0, 200 see 0, 1000 limit 0 300, 1001 see 0");
    /* 1,000 samples: 100.1 at full speed, 4/7 of 900 s, the rest at 6/7 */
    double left = 1000 - 100.1 - 900 * 4 / 7.;
    expect_end(&t, "a", 1000.1 + left * 7 / 6, 400 * 100.1 + 200 * 900 + 300 * left * 7 / 6);
    cr_expect_eq(counted(&t, "0 s: inf 400 1 160 400, 400 W"), 1);
    cr_expect_eq(counted(&t, "100 s: 200 400 1 160 400, 400 W"), 1);
    cr_expect_eq(counted(&t, "200 s: 200 200 0.571428571 160 400, 200 W"), 1);
    cr_expect_eq(counted(&t, "1001 s: 300 300 0.857142857 160 400, 300 W"), 1);
    cr_expect(strstr(t.decisions_csv.text, "100.0,limit,a,g,1,1.0,ok,200.0\n"), "%s",
              t.decisions_csv.text);
    trial_finish(&t);
}

/* Speed at a draw. */
static double law(double watts) {
    return 1 / (0.7 + 0.21 / (watts / 400 - 0.3));
}

/* Asked for every 50 ms: what is pending keeps its time and takes the newest value. */
Test(set_limits, pending_change_keeps_its_time) {
    struct trial t;
    run(&t, (struct scene){0},
        "0 start 0 0, 100 limit 0 200, 100.05 limit 0 300, 100.15 limit 0 160, 100.2 limit 0 200");
    /* 300 W from 100.1 to 100.25, when 200 W, the newest of the next two, holds */
    double left = 1000 - 100.1 - 0.15 * 6 / 7;
    expect_end(&t, "a", 100.25 + left * 7 / 4, 400 * 100.1 + 300 * 0.15 + 200 * left * 7 / 4);
    trial_finish(&t);
}

/* Taken back before it holds: nothing has happened. */
Test(set_limits, taken_back) {
    struct trial t;
    run(&t, (struct scene){0}, "0 start 0 0, 100 limit 0 200, 100.05 limit 0 400, 101 see 0");
    expect_end(&t, "a", 1000, 400 * 1000);
    cr_expect_eq(counted(&t, "101 s: inf 400 1 160 400, 400 W"), 1);
    trial_finish(&t);
}

/* Set-up goes on at 90 W, and the limit holds when it is over. */
Test(set_limits, during_set_up) {
    struct trial t;
    run(&t, (struct scene){.models = COSTS(50)}, "0 start 0 0, 10 limit 0 200");
    expect_end(&t, "a", 50 + 1750, 90 * 50 + 200 * 1750);
    trial_finish(&t);
}

/* The wish ends with the GPUs: stopped at 200, 2 s of checkpoint, 5 s of set-up, full speed. Who
   does not run has no row. */
Test(set_limits, ends_with_the_gpus) {
    struct trial t;
    run(&t, (struct scene){0},
        "0 start 0 0, 100 limit 0 200, 200 stop 0, 200 see 0, 300 start 0 0, 310 see 0");
    double done = 100.1 + 99.9 * 4 / 7;
    expect_end(&t, "a", 305 + 1000 - done, 400 * 100.1 + 200 * 99.9 + 90 * 7 + 400 * (1000 - done));
    cr_expect_eq(counted(&t, "200 s: 0 0 0 0 0, 0 W"), 1);
    cr_expect_eq(counted(&t, "310 s: inf 400 1 160 400, 400 W"), 1);
    trial_finish(&t);
}

/* A change that is pending when the job stops is dropped, and does not hold for its next start. */
Test(set_limits, stop_drops_what_is_pending) {
    struct trial t;
    run(&t, (struct scene){.jobs = ONE_JOB, .models = COSTS(0)},
        "0 start 0 0, 100 limit 0 200, 100.01 stop 0, 102.01 start 0 0");
    expect_end(&t, "a", 102.01 + 5 + 899.99, 400 * 1000 + 90 * 7);
    trial_finish(&t);
}

/* Two GPUs: each is limited, both count; a resize ends the wish. */
Test(set_limits, two_gpus_and_a_resize) {
    struct trial t;
    run(&t, (struct scene){0}, "0 start 0 1, 100 limit 0 200, 200 resize 0 0, 300 see 0");
    /* 2 s of checkpoint and 5 s of set-up on the new GPU */
    double done = 1.6 * (100.1 + 99.9 * 4 / 7);
    expect_end(&t, "a", 207 + 1000 - done,
               2 * (400 * 100.1 + 200 * 99.9) + 90 * 7 + 400 * (1000 - done));
    cr_expect_eq(counted(&t, "300 s: inf 400 1 160 400, 400 W"), 1);
    trial_finish(&t);
}

/* Brought into the range, and counted; of equal wishes nothing is told. */
Test(set_limits, outside_the_range) {
    struct trial t;
    run(&t, (struct scene){0},
        "0 start 0 0, 100 limit 0 20, 101 see 0, 102 limit 0 160, 200 limit 0 9000, 201 see 0");
    double left = 1000 - 100.1 - 100 / 2.8;
    expect_end(&t, "a", 200.1 + left, 400 * (100.1 + left) + 160 * 100);
    cr_expect_eq(counted(&t, "101 s: 160 160 0.357142857 160 400, 160 W"), 1);
    cr_expect_eq(counted(&t, "201 s: inf 400 1 160 400, 400 W"), 1);
    cr_expect_eq(counted(&t, "power limits outside the range of a GPU are brought into it"), 2);
    cr_expect(strstr(t.decisions_csv.text, "100.0,limit,a,g,1,1.0,ok,160.0\n"), "%s",
              t.decisions_csv.text);
    cr_expect(!strstr(t.decisions_csv.text, "102.0,limit"), "%s", t.decisions_csv.text);
    trial_finish(&t);
}

/* With power_limits a limit that a configuration has is as a resize to it: the least on one GPU,
   160 W, is the last of those with a limit. And a resize ends a wish of one's own. */
Test(set_limits, as_a_resize) {
    static const char *const scripts[] = {"0 start 0 0, 100 limit 0 160, 300 limit 0 400",
                                          "0 start 0 0, 100 resize 0 4, 300 resize 0 0"};
    struct trial t[2], own;
    for (int i = 0; i < 2; i++)
        run(&t[i], (struct scene){.params = "power_limits: true, "}, scripts[i]);
    cr_expect_str_eq(t[0].jobs_csv.text, t[1].jobs_csv.text);
    cr_expect_str_eq(t[0].summary_csv.text, t[1].summary_csv.text);
    run(&own, (struct scene){0}, "0 start 0 0, 100 limit 0 200, 300 resize 0 0, 301 see 0");
    double left = 1000 - 100.1 - 200 * 4 / 7.;
    expect_end(&own, "a", 300.1 + left, 400 * (100.1 + left) + 200 * 200);
    cr_expect_eq(counted(&own, "301 s: inf 400 1 160 400, 400 W"), 1);
    trial_finish(&own);
    for (int i = 0; i < 2; i++)
        trial_finish(&t[i]);
}

#define SHARING "job_id,submit_s,duration_s,gpus,gpu_share\na,0,1000,1,0.5\n"
#define CONTENTION \
    "cluster: {gpu_types: [{name: g, idle_w: 50, ctx_w: 90, tdp_w: 400}], nodes: [{gpu: g, gpus: 2}], network: {tiers: [{name: spine, nodes: 4, oversubscription: 3}], link: 120MB/s, contention: true}}\n"

Test(set_limits, refusals) {
    static const struct {
        struct scene scene;
        const char *actions, *answer;
        enum refusal why;
    } cases[] = {
        {{0}, "0 start 0 0, 5 limit 0 nan", "5 s: limit is answered -2", REFUSED_WATTS},
        {{0}, "0 start 0 0, 5 limit 0 inf", "5 s: limit is answered -2", REFUSED_WATTS},
        {{0}, "0 start 0 0, 5 limit 0 0", "5 s: limit is answered -2", REFUSED_WATTS},
        {{0}, "0 start 0 0, 5 limit 0 -250", "5 s: limit is answered -2", REFUSED_WATTS},
        {{0}, "0 start 0 0, 5 limit 7 250", "5 s: limit is answered -2", REFUSED_NO_SUCH_JOB},
        {{0}, "0 limit 0 250, 0 start 0 0", "0 s: limit is answered -2", REFUSED_STATE},
        {{0}, "0 start 0 0, 0 limit 0 250", "0 s: limit is answered -2", REFUSED_STATE},
        {{0},
         "0 start 0 0, 5 resize 0 1, 5 limit 0 250",
         "5 s: limit is answered -2",
         REFUSED_STATE},
        {{0},
         "0 start 0 0, 5 stop 0, 6 limit 0 250, 10 start 0 0",
         "6 s: limit is answered -2",
         REFUSED_STATE},
        {{.policy = "sees_limits"},
         "0 start 0 0, 5 limit 0 250",
         "5 s: limit is answered -2",
         REFUSED_CAPABILITY},
        {{.jobs = SHARING},
         "0 start 0 0, 5 limit 0 250",
         "5 s: limit is answered -2",
         REFUSED_SHARES},
        {{.more = CONTENTION},
         "0 start 0 0, 5 limit 0 250",
         "5 s: limit is answered -2",
         REFUSED_NO_LIMITS},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trial t;
        run(&t, cases[i].scene, cases[i].actions);
        for (int r = 0; r < REFUSAL_COUNT; r++)
            cr_expect_eq(t.refused[r], r == (int)cases[i].why, "%s: %s %llu times",
                         cases[i].actions, refusal_names[r], (unsigned long long)t.refused[r]);
        cr_expect_eq(counted(&t, cases[i].answer), 1, "%s", cases[i].actions);
        trial_finish(&t);
    }
}

/* Two jobs of 400 W under 700 W: the second starts when the first is at 300 W. A raise to 301 W is
   over the cap for a policy with POWER_CAP, and for no other. */
Test(set_limits, raise_over_the_cap) {
    static const char *const policies[] = {"sets_limits_capped", "sets_limits"};
    static const char capped[] =
        "cluster: {gpu_types: [{name: g, idle_w: 50, ctx_w: 90, tdp_w: 400}], nodes: [{gpu: g, gpus: 2}], power_cap_w: 700}\n";
    for (int i = 0; i < 2; i++) {
        struct trial t;
        run(&t, (struct scene){.jobs = TWO_JOBS, .policy = policies[i], .more = capped},
            "0 start 0 0, 5 limit 0 300, 6 start 1 0, 7 limit 0 301, 8 limit 1 399");
        cr_expect_eq(counted(&t, "7 s: limit is answered -3"), i == 0);
        cr_expect_eq(t.refused[REFUSED_CAP], i == 0);
        trial_finish(&t);
    }
}

/* Wishes and an enforced cap of 500 W together, exact: both begin at 160 W, and what is left rises
   to the wishes by one x. From 0 s x = 180/480. From 100 s a wishes 200 W: x = 180/280; at 100.05
   s 300 W, x = 180/380, which holds at 100.1 s, as the first would have. From 200 s 160 W: x of b
   = 180/240. When b has ended a stays at its wish, and at 400 W within the cap (50 W for the free
   GPU) from 0.1 s after it asks for that at 1500 s. No raise is refused. */
Test(set_limits, under_an_enforced_cap) {
    static const char capped[] =
        "cluster: {gpu_types: [{name: g, idle_w: 50, ctx_w: 90, tdp_w: 400}], nodes: [{gpu: g, gpus: 2}], power_cap: {watts: 500, enforce: throttle, admit: floor, steps: 0}}\n";
    struct trial t;
    run(&t, (struct scene){.jobs = TWO_JOBS, .more = capped},
        "0 start 0 0, 0 start 1 0, 50 see 0, 100 limit 0 200, 100.05 limit 0 300, 150 see 0, 150 see 1, 200 limit 0 160, 250 see 0, 250 see 1, 1500 limit 0 400, 1600 see 0");
    double a_w = 160 + 140 * 9 / 19., b_w = 160 + 240 * 9 / 19.;
    double b_left = 1000 - 100.1 * law(250) - 100 * law(b_w), b_s = 200.1 + b_left / law(340);
    expect_end(&t, "b", b_s, 250 * 100.1 + b_w * 100 + 340 * (b_s - 200.1));
    double a_left = 1000 - 100.1 * law(250) - 100 * law(a_w) - (1500.1 - 200.1) * law(160);
    expect_end(&t, "a", 1500.1 + a_left, 250 * 100.1 + a_w * 100 + 160 * 1300. + 400 * a_left);
    cr_expect_eq(counted(&t, "50 s: inf 250 0.742857143 160 400, 250 W"), 1);
    cr_expect_eq(counted(&t, "150 s: 300 226.315789 0.671096346 160 400, 226.315789 W"), 1);
    cr_expect_eq(counted(&t, "250 s: 160 160 0.357142857 160 400, 160 W"), 1);
    cr_expect_eq(counted(&t, "1600 s: inf 400 1 160 400, 400 W"), 1);
    cr_expect_eq(t.refused[REFUSED_CAP], 0);
    trial_finish(&t);
}
