/* Decisions of lean on small cases, worked out by hand above each case. Rigid jobs draw 400 W a GPU
   and write checkpoints in no time. Model flat draws 100 W a GPU and does 1, 1.6 and 2 samples/s on
   1, 2 and 4, so that E T^a of R samples is 100 R^(1 + a) on 1, 200 (R/1.6)^(1 + a) on 2 and
   400 (R/2)^(1 + a) on 4. */
#include "../support/policy_case.h"
#include "../support/temp_dir.h"

#include <criterion/criterion.h>
#include <math.h>

TestSuite(lean, .init = temp_dir_enter, .fini = temp_dir_leave);

#define HEAD  "job_id,submit_s,gpus,duration_s\n"
#define DUE   "job_id,submit_s,gpus,duration_s,deadline_s\n"
#define MODEL "job_id,submit_s,gpus,duration_s,model,work_samples,deadline_s\n"

Test(lean, configuration) {
    static const struct policy_case cases[] = {
        /* a = 1/2: 100, 98.8 and 141.4 R^1.5 */
        {"alone",
         "{name: lean}",
         TRIAL_CLUSTER(4),
         NULL,
         MODEL "a,0,,,flat,4,\n",
         {{"a", 0, 2.5, 2, 0}}},
        /* At 10 four wait. a has 3 others, a = 1/4: 100, 111.1, 168.2. b has 2, a = 1/3: 100,
           106.9. c has 1, a = 5/12: 100, 102.8. d has none: 2 GPUs. Afterwards 2 GPUs instead of 1
           would save 1.2 % of E T^0.5, and a resize has to save 10. */
        {"fewer GPUs while others wait",
         "{name: lean, params: {displace: off}}",
         TRIAL_CLUSTER(8),
         NULL,
         MODEL "z,0,8,10,,,\na,1,,,flat,4,\nb,2,,,flat,4,\nc,3,,,flat,4,\nd,4,,,flat,4,\n",
         {{"z", 0, 10, 8, 0},
          {"a", 10, 14, 1, 0},
          {"b", 10, 14, 1, 0},
          {"c", 10, 14, 1, 0},
          {"d", 10, 12.5, 2, 0}}},
        /* one other is enough for a = 0.45: 100, 101.2; b has none */
        {"busy sooner",
         "{name: lean, params: {displace: off, busy_jobs: 1, exponent_busy: 0.45}}",
         TRIAL_CLUSTER(4),
         NULL,
         MODEL "z,0,4,10,,,\na,1,,,flat,4,\nb,2,,,flat,4,\n",
         {{"a", 10, 14, 1, 0}, {"b", 10, 12.5, 2, 0}}},
        /* energy at 0.2 a kWh: a = 1/4 although nobody waits */
        {"dear energy",
         "{name: lean, params: {energy_price: 0.2}}",
         TRIAL_CLUSTER(4),
         NULL,
         MODEL "a,0,,,flat,4,\n",
         {{"a", 0, 4, 1, 0}}},
        /* 1 GPU is free, 100 is more than 1.01 x 98.8: a waits for the second until 5 */
        {"what is not admitted waits",
         "{name: lean, params: {slack: 1.01}}",
         TRIAL_CLUSTER(2),
         NULL,
         MODEL "y,0,1,5,,,\na,1,,,flat,4,\n",
         {{"y", 0, 5, 1, 0}, {"a", 5, 7.5, 2, 0}}},
    };
    policy_cases_run(cases, sizeof cases / sizeof *cases);
}

Test(lean, order) {
    static const struct policy_case cases[] = {
        /* shortest first, however long b waits */
        {"no ageing",
         "{name: lean, params: {displace: off}}",
         TRIAL_CLUSTER(1),
         NULL,
         HEAD "a,0,1,20\nb,0.5,1,8\nc,19,1,7\n",
         {{"a", 0, 20, 1, 0}, {"c", 20, 27, 1, 0}, {"b", 27, 35, 1, 0}}},
        /* deadlines do not matter by default; with them c can be in time (20 + 9 <= 100) */
        {"deadlines off",
         "{name: lean}",
         TRIAL_CLUSTER(1),
         NULL,
         DUE "a,0,1,20,\nb,1,1,7,\nc,1,1,9,100\n",
         {{"b", 20, 27, 1, 0}, {"c", 27, 36, 1, 0}}},
        {"deadlines on",
         "{name: lean, params: {deadlines: true, preempt_slack_s: 0}}",
         TRIAL_CLUSTER(1),
         NULL,
         DUE "a,0,1,20,\nb,1,1,7,\nc,1,1,9,100\n",
         {{"c", 20, 29, 1, 0}, {"b", 29, 36, 1, 0}}},
        /* only 4 GPUs, 2 s, are in time */
        {"in time",
         "{name: lean, params: {deadlines: true}}",
         TRIAL_CLUSTER(4),
         NULL,
         MODEL "a,0,,,flat,4,2.2\n",
         {{"a", 0, 2, 4, 0}}},
        /* a, which takes no time, is in time at 0 */
        {"due at once",
         "{name: lean, params: {deadlines: true}}",
         TRIAL_CLUSTER(1),
         NULL,
         DUE "b,0,1,5,\na,0,1,0,0\n",
         {{"a", 0, 0, 1, 0}, {"b", 0, 5, 1, 0}}},
    };
    policy_cases_run(cases, sizeof cases / sizeof *cases);
}

Test(lean, displacement) {
    static const struct policy_case cases[] = {
        /* at 50 z has 50 s to go, more than 3 x 10, and is 50 s old, not more than 2 x 50 */
        {"much longer",
         "{name: lean}",
         TRIAL_CLUSTER(1),
         NULL,
         HEAD "z,0,1,100\nb,50,1,10\n",
         {{"b", 50, 60, 1, 0}, {"z", 0, 110, 1, 0}}},
        {"never",
         "{name: lean, params: {displace: off}}",
         TRIAL_CLUSTER(1),
         NULL,
         HEAD "z,0,1,100\nb,50,1,10\n",
         {{"z", 0, 100, 1, 0}, {"b", 100, 110, 1, 0}}},
        /* at 70 it has 30 s to go: not more than 3 x 10 */
        {"not so much longer",
         "{name: lean, params: {displace_age: 9}}",
         TRIAL_CLUSTER(1),
         NULL,
         HEAD "z,0,1,100\nb,70,1,10\n",
         {{"z", 0, 100, 1, 0}, {"b", 100, 110, 1, 0}}},
        /* 50 s old is more than 0.9 x 50 */
        {"too old",
         "{name: lean, params: {displace_age: 0.9}}",
         TRIAL_CLUSTER(1),
         NULL,
         HEAD "z,0,1,100\nb,50,1,10\n",
         {{"z", 0, 100, 1, 0}, {"b", 100, 110, 1, 0}}},
        /* x has most to go, 200 s at 10, and its 2 GPUs suffice for b */
        {"the longest",
         "{name: lean}",
         TRIAL_CLUSTER(4),
         NULL,
         HEAD "w,0,2,110\nx,0,2,210\nb,10,2,5\n",
         {{"b", 10, 15, 2, 0}, {"w", 0, 110, 2, 0}, {"x", 0, 215, 2, 0}}},
        /* b needs 4 GPUs: both give way */
        {"two of them",
         "{name: lean}",
         TRIAL_CLUSTER(4),
         NULL,
         HEAD "w,0,2,110\nx,0,2,210\nb,10,4,5\n",
         {{"b", 10, 15, 4, 0}, {"w", 0, 115, 2, 0}, {"x", 0, 215, 2, 0}}},
        /* without w, who has 20 s at 10 and needs more than 3 x 8, 2 GPUs would come free, which do
           not help: nobody is displaced; at 30 x still has 180 */
        {"not in vain",
         "{name: lean}",
         TRIAL_CLUSTER(4),
         NULL,
         HEAD "w,0,2,30\nx,0,2,210\nb,10,4,8\n",
         {{"w", 0, 30, 2, 0}, {"b", 30, 38, 4, 0}, {"x", 0, 218, 2, 0}}},
    };
    policy_cases_run(cases, sizeof cases / sizeof *cases);
}

Test(lean, urgent) {
    static const struct policy_case cases[] = {
        /* slack at 50: 100 - 50 - 20 = 30. 50 s to go is less than 3 x 20, but b is urgent */
        {"displaces",
         "{name: lean, params: {deadlines: true}}",
         TRIAL_CLUSTER(1),
         NULL,
         DUE "z,0,1,100,\nb,50,1,20,100\n",
         {{"b", 50, 70, 1, 0}, {"z", 0, 120, 1, 0}}},
        /* has 30 s of slack, and only with less than 30 it may; nothing happens until 100 */
        {"not yet",
         "{name: lean, params: {deadlines: true, preempt_slack_s: 30}}",
         TRIAL_CLUSTER(1),
         NULL,
         DUE "z,0,1,100,\nb,50,1,20,100\n",
         {{"z", 0, 100, 1, 0}, {"b", 100, 120, 1, 0}}},
        /* z is in time itself */
        {"not who is in time",
         "{name: lean, params: {deadlines: true}}",
         TRIAL_CLUSTER(1),
         NULL,
         DUE "z,0,1,100,100\nb,50,1,20,100\n",
         {{"z", 0, 100, 1, 0}, {"b", 100, 120, 1, 0}}},
    };
    policy_cases_run(cases, sizeof cases / sizeof *cases);
}

/* Live limits. Rigid jobs draw 400 W, which is tdp_w, and floor_w is 160: limits are at the speeds
   1, 47/56, 19/28, 29/56 and 5/14. By the law (s 0.3, m 0.7) a GPU draws
   0.3 + 0.21 / (1 / speed - 0.7) of its power then: 1, 8/11, 4/7, 8/17 and 0.4. Energy is that over
   the speed: 1, 0.867, 0.842, 0.909 and 1.12; E T^0.5 is 1, 0.946, 1.022, 1.263 and 1.874. So the
   rule of lean takes 8/11 ("usual"), and a deadline that is far 4/7 ("thrifty"). A limit of a
   running job holds 0.1 s after it was set. */
#define USUAL      (56 / 47.) /* time per work */
#define THRIFTY    (28 / 19.)
#define FULL_W     400.0
#define USUAL_W    (FULL_W * 8 / 11)
#define THRIFTY_W  (FULL_W * 4 / 7)
#define LIVE(more) "{name: lean, params: {limits: live, displace: off" more "}}"
#define LAST_END_S (120.1 + 400 - 60.1 - 60 / USUAL) /* of c below */
#define A_FULL_S   (LAST_END_S + 0.1 - 100.1)
#define A_LEFT     (5000 - 100.1 / USUAL - A_FULL_S)

struct live_case {
    const char *name, *policy;
    int gpus;
    const char *jobs;
    struct {
        const char *id;
        double finish_s, energy_j;
    } expected[3];
};

static void run_live(const struct live_case *c) {
    struct trial t;
    trial_run(&t, &(struct trial_options){.jobs = c->jobs, .strict = true},
              "name: live\nhorizon: drain\ncluster: {gpu_types: [{name: g, idle_w: 50, ctx_w: 90, "
              "tdp_w: 400}], nodes: [{gpu: g, gpus: %d}]}\n" TRIAL_JOBS "policy: %s\n",
              c->gpus, c->policy);
    trial_must_succeed(&t);
    for (int i = 0; i < 3 && c->expected[i].id; i++) {
        const struct trial_job *job = trial_find(&t, c->expected[i].id);
        double finish_s = (double)job->finish_ns / 1e9;
        cr_expect_float_eq(finish_s, c->expected[i].finish_s, 5e-9,
                           "%s: %s ends at %.9f s, not %.9f", c->name, job->id, finish_s,
                           c->expected[i].finish_s);
        cr_expect_float_eq(job->energy_j, c->expected[i].energy_j, 1e-5,
                           "%s: %s takes %.6f J, not %.6f", c->name, job->id, job->energy_j,
                           c->expected[i].energy_j);
    }
    trial_finish(&t);
}

Test(lean, live_limits) {
    static const struct live_case cases[] = {
        {"off", "{name: lean}", 1, HEAD "a,0,1,1000\n", {{"a", 1000, 1000 * FULL_W}}},
        {"nobody waits",
         LIVE(""),
         1,
         HEAD "a,0,1,1000\n",
         {{"a", 1000 * USUAL, 1000 * USUAL * USUAL_W}}},
        /* dear energy, a = 0.05: E T^a is 0.874 at 8/11, 0.859 at 4/7 and 0.939 at 8/17 */
        {"dear energy",
         LIVE(", energy_price: 1"),
         1,
         HEAD "a,0,1,1000\n",
         {{"a", 1000 * THRIFTY, 1000 * THRIFTY * THRIFTY_W}}},
        /* b waits from 300 on, so a has full power until it ends; b then has nobody behind it */
        {"the queue fills",
         LIVE(""),
         1,
         HEAD "a,0,1,1000\nb,300,1,2000\n",
         {{"a", 300.1 + 1000 - 300.1 / USUAL, 300.1 * USUAL_W + (1000 - 300.1 / USUAL) * FULL_W},
          {"b", 300.1 + 1000 - 300.1 / USUAL + 2000 * USUAL, 2000 * USUAL * USUAL_W}}},
        /* b waits from 30 on: a has run for less than a minute and changes at 60 */
        {"once a minute",
         LIVE(""),
         1,
         HEAD "a,0,1,1000\nb,30,1,2000\n",
         {{"a", 60.1 + 1000 - 60.1 / USUAL, 60.1 * USUAL_W + (1000 - 60.1 / USUAL) * FULL_W}}},
        /* c starts while a waits, so with full power, and is lowered at 60. b waits from 100 on:
           a is raised then, and c at 120. When c ends, b starts, nobody waits, and a is lowered. */
        {"the queue empties",
         LIVE(""),
         2,
         HEAD "a,0,1,5000\nc,0,1,400\nb,100,1,3000\n",
         {{"c", LAST_END_S, 60.1 * FULL_W + 60 * USUAL_W + (400 - 60.1 - 60 / USUAL) * FULL_W},
          {"b", LAST_END_S + 3000 * USUAL, 3000 * USUAL * USUAL_W},
          {"a", LAST_END_S + 0.1 + A_LEFT * USUAL,
           (100.1 + A_LEFT * USUAL) * USUAL_W + A_FULL_S * FULL_W}}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        run_live(&cases[i]);
}

/* Seen from 0, a ends at 1,000 with full power, at 1,191.5 with the usual limit, with which it has
   started, and at 1,473.7 with the thrifty one. Another one than the usual is set at 60, when a has
   1,000 - 60 x 47/56 = 949.6 to go. */
Test(lean, live_limits_and_deadlines) {
    static const struct live_case cases[] = {
        {"thrifty is in time",
         LIVE(""),
         1,
         DUE "a,0,1,1000,1474\n",
         {{"a", 60.1 + (1000 - 60.1 / USUAL) * THRIFTY,
           60.1 * USUAL_W + (1000 - 60.1 / USUAL) * THRIFTY * THRIFTY_W}}},
        {"no less than the least energy",
         LIVE(", deadlines: true"),
         1,
         DUE "a,0,1,1000,100000\n",
         {{"a", 60.1 + (1000 - 60.1 / USUAL) * THRIFTY,
           60.1 * USUAL_W + (1000 - 60.1 / USUAL) * THRIFTY * THRIFTY_W}}},
        {"usual is in time",
         LIVE(""),
         1,
         DUE "a,0,1,1000,1473\n",
         {{"a", 1000 * USUAL, 1000 * USUAL * USUAL_W}}},
        {"full power is in time",
         LIVE(""),
         1,
         DUE "a,0,1,1000,1191\n",
         {{"a", 60.1 + 1000 - 60.1 / USUAL, 60.1 * USUAL_W + (1000 - 60.1 / USUAL) * FULL_W}}},
        /* full power would be at 0, but at 60 ends at 1,009.6 */
        {"nothing is in time any more",
         LIVE(""),
         1,
         DUE "a,0,1,1000,1009\n",
         {{"a", 1000 * USUAL, 1000 * USUAL * USUAL_W}}},
        /* b waits from 30 on */
        {"others wait",
         LIVE(""),
         1,
         DUE "a,0,1,1000,1474\nb,30,1,2000,\n",
         {{"a", 60.1 + 1000 - 60.1 / USUAL, 60.1 * USUAL_W + (1000 - 60.1 / USUAL) * FULL_W}}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        run_live(&cases[i]);
}
