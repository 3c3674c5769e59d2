/* The options resize and shrink on small cases, worked out by hand above each case. Model flat
   makes 1, 1.6 and 2 samples/s on 1, 2 and 4 GPUs of 100 W; costly the same with restart_s 2 and
   checkpoint_s 1, on demand. */
#include "../support/policy_case.h"
#include "../support/temp_dir.h"

#include <criterion/criterion.h>

TestSuite(resize, .init = temp_dir_enter, .fini = temp_dir_leave);

#define MODEL "job_id,submit_s,gpus,duration_s,model,work_samples\n"
/* x holds 3 of 4 GPUs until 10; a takes the fourth at 1 */
#define AFTER_X(a) MODEL "x,0,3,10,,\na,1,,," a "\n"

Test(resize, grows) {
    static const struct policy_case cases[] = {
        {"switched off",
         "{name: pollux}",
         TRIAL_CLUSTER(4),
         NULL,
         AFTER_X("flat,12"),
         {{"a", 1, 13, 1, 0}}},
        /* at 10, 3 samples left: 3 s on 1 GPU, 1.5 s on 4; saves 1.5 > 0.1 * 3 */
        {"by time",
         "{name: pollux, params: {resize: true}}",
         TRIAL_CLUSTER(4),
         NULL,
         AFTER_X("flat,12"),
         {{"a", 1, 11.5, 4, 0}}},
        {"gain too small",
         "{name: pollux, params: {resize: true, resize_gain: 0.5}}",
         TRIAL_CLUSTER(4),
         NULL,
         AFTER_X("flat,12"),
         {{"a", 1, 13, 1, 0}}},
        /* EDP 100 * 3^2 = 900 on 1 GPU, 200 * 1.875^2 = 703 on 2, 400 * 1.5^2 = 900 on 4 */
        {"by EDP",
         "{name: zeus, params: {resize: true}}",
         TRIAL_CLUSTER(4),
         NULL,
         AFTER_X("flat,12"),
         {{"a", 1, 11.875, 2, 0}}},
        /* saves 21.9 % */
        {"EDP gain too small",
         "{name: zeus, params: {resize: true, resize_gain: 0.22}}",
         TRIAL_CLUSTER(4),
         NULL,
         AFTER_X("flat,12"),
         {{"a", 1, 13, 1, 0}}},
        /* 2 + 1 + 1.5 s > 3 s */
        {"costs too much",
         "{name: pollux, params: {resize: true}}",
         TRIAL_CLUSTER(4),
         NULL,
         AFTER_X("costly,12"),
         {{"a", 1, 13, 1, 0}}},
        /* 31 s left, or 2 + 1 + 15.5 = 18.5 s: saves 12.5 > max(2, 3.1) */
        {"worth its costs",
         "{name: pollux, params: {resize: true}}",
         TRIAL_CLUSTER(4),
         NULL,
         AFTER_X("costly,40"),
         {{"a", 1, 28.5, 4, 0}}},
        /* 9.5 left, 2 + 1 + 4.75 = 7.75: saves 1.75, more than 0.95 but not more than restart_s */
        {"less than the restart",
         "{name: pollux, params: {resize: true}}",
         TRIAL_CLUSTER(4),
         NULL,
         AFTER_X("costly,18.5"),
         {{"a", 1, 19.5, 1, 0}}},
        /* the GPUs are b's, who waits */
        {"somebody waits",
         "{name: pollux, params: {resize: true}}",
         TRIAL_CLUSTER(4),
         NULL,
         AFTER_X("flat,12") "b,2,4,7,,\n",
         {{"a", 1, 13, 1, 0}, {"b", 13, 20, 4, 0}}},
    };
    policy_cases_run(cases, sizeof cases / sizeof *cases);
}

/* 4 GPUs: x holds 2 until 5, y 1 until 10; a starts on 1 at 1. */
#define TWO_STEPS MODEL "x,0,2,5,,\ny,0,1,10,,\na,1,,,flat,20\n"

Test(resize, when_and_who) {
    static const struct policy_case cases[] = {
        /* at 5, 16 samples left: on 2 of 3 GPUs 10 s instead of 16. At 10, 8 left: 4 s instead of
         * 5, but too soon
         */
        {"interval",
         "{name: pollux, params: {resize: true}}",
         TRIAL_CLUSTER(4),
         NULL,
         TWO_STEPS,
         {{"a", 1, 15, 2, 0}}},
        {"interval over",
         "{name: pollux, params: {resize: true, resize_interval_s: 5}}",
         TRIAL_CLUSTER(4),
         NULL,
         TWO_STEPS,
         {{"a", 1, 14, 4, 0}}},
        {"interval just not over",
         "{name: pollux, params: {resize: true, resize_interval_s: 5.000000001}}",
         TRIAL_CLUSTER(4),
         NULL,
         TWO_STEPS,
         {{"a", 1, 15, 2, 0}}},
        /* p holds a GPU, x one until 10, z one until 3, when b takes it. At 10 one is free: a (11
           left: 6.875 s on 2) was submitted before b. At 16.875 b has 6.125 left: 3.828125 s on 2
         */
        {"in order of submission",
         "{name: pollux, params: {resize: true}}",
         TRIAL_CLUSTER(4),
         NULL,
         MODEL "p,0,1,100,,\nx,0,1,10,,\nz,0,1,3,,\na,1,,,flat,20\nb,3,,,flat,20\n",
         {{"a", 1, 16.875, 2, 0}, {"b", 3, 20.703125, 2, 0}}},
        /* x holds h until 5; pair runs as fast there for 80 W as on g for 100 W: nothing to gain by
           time, 20 % by EDP */
        {"another GPU type",
         "{name: zeus, params: {resize: true}}",
         "cluster: {gpu_types: [{name: g, idle_w: 50, tdp_w: 400}, {name: h, idle_w: 50, tdp_w: 400}], nodes: [{gpu: g, gpus: 1}, {gpu: h, gpus: 1}]}\n",
         NULL,
         "job_id,submit_s,gpus,duration_s,gpu_type,model,work_samples\nx,0,1,5,h,,\na,1,,,,pair,20\n",
         {{"a", 1, 21, 1, 1}}},
    };
    policy_cases_run(cases, sizeof cases / sizeof *cases);
}

/* a (20 s on g or h) starts at 20 on a GPU that sleeps and takes 1000 s to wake; another one is
   free. At 30 x leaves h, which is awake: a moves there and is done at 50, since 990 + 20 s are
   left where it is. */
Test(resize, away_from_a_gpu_that_wakes) {
    static const struct policy_case wakes = {
        "awake elsewhere",
        "{name: pollux, params: {resize: true}}",
        "cluster: {gpu_types: [{name: g, idle_w: 50, tdp_w: 400, sleep_w: 8, sleep_after: 10, wake_s: 1000}, {name: h, idle_w: 50, tdp_w: 400}], nodes: [{gpu: g, gpus: 2}, {gpu: h, gpus: 1}]}\n",
        NULL,
        "job_id,submit_s,gpus,duration_s,gpu_type,model,work_samples\nx,0,1,30,h,,\na,20,,,,pair,20\n",
        {{"a", 20, 50, 1, 1}}};
    policy_cases_run(&wakes, 1);
}

#define SHRINK(name) "{name: " name ", params: {resize: true, shrink: true}}"

/* At 10.25 the GPUs of a (on four since 0.25) have 30 s to wake up and x 20 s to run, so b would
   gain 20 s. On two GPUs a has 125 s to go instead of 30 + 100, as far as is known then: less than
   a tenth of 130 s is lost. They are awake at 40.25, as are those of b. */
Test(resize, shrinks_while_it_wakes) {
    static const struct policy_case wakes = {
        "in set-up",
        "{name: pollux, params: {resize: true, shrink: true}}",
        "cluster: {gpu_types: [{name: g, idle_w: 50, tdp_w: 400, sleep_w: 8, sleep_after: 0, wake_s: 40}, {name: h, idle_w: 50, tdp_w: 400}], nodes: [{gpu: g, gpus: 4}, {gpu: h, gpus: 1}]}\n",
        NULL,
        "job_id,submit_s,gpus,duration_s,gpu_type,model,work_samples\nx,0,1,30.25,h,,\na,0.25,,,,flat,200\nb,10.25,2,10,g,,\n",
        {{"a", 0.25, 165.25, 2, 0}, {"b", 10.25, 50.25, 2, 0}}};
    policy_cases_run(&wakes, 1);
}

Test(resize, shrinks) {
    static const struct policy_case cases[] = {
        {"switched off",
         "{name: pollux, params: {resize: true}}",
         TRIAL_CLUSTER(4),
         NULL,
         MODEL "a,0,,,flat,200\nb,10,1,10,,\n",
         {{"a", 0, 100, 4, 0}, {"b", 100, 110, 1, 0}}},
        /* at 10, 180 left: 90 s on 4 GPUs, 112.5 on 2. a loses 22.5 s (+ 9), b would have to wait
           90 s. Afterwards a has to keep its interval */
        {"by time",
         SHRINK("pollux"),
         TRIAL_CLUSTER(4),
         NULL,
         MODEL "a,0,,,flat,200\nb,10,1,10,,\n",
         {{"a", 0, 122.5, 2, 0}, {"b", 10, 20, 1, 0}}},
        /* at 10, 84 left: 52.5 s on 2 GPUs, 84 on 1: loses 31.5 (+ 5.25) < 52.5 */
        {"by EDP",
         SHRINK("zeus"),
         TRIAL_CLUSTER(2),
         NULL,
         MODEL "a,0,,,flat,100\nb,10,1,10,,\n",
         {{"a", 0, 94, 1, 0}, {"b", 10, 20, 1, 0}}},
        /* b needs 3 GPUs, so a would have to go to 1: loses 90 s (+ 9) > 90 */
        {"loses more than it gives",
         SHRINK("pollux"),
         TRIAL_CLUSTER(4),
         NULL,
         MODEL "a,0,,,flat,200\nb,10,3,10,,\n",
         {{"a", 0, 100, 4, 0}, {"b", 100, 110, 3, 0}}},
        /* at 34, 12 left: 6 s, or 2 + 1 + 7.5: loses 4.5 (+ 2) > 6 */
        {"costs too much",
         SHRINK("pollux"),
         TRIAL_CLUSTER(4),
         NULL,
         MODEL "a,0,,,costly,80\nb,34,1,10,,\n",
         {{"a", 0, 40, 4, 0}, {"b", 40, 50, 1, 0}}},
        /* at 30, 20 left: 10 s, or 3 + 12.5: loses 5.5 (+ 2) < 10 */
        {"worth its costs",
         SHRINK("pollux"),
         TRIAL_CLUSTER(4),
         NULL,
         MODEL "a,0,,,costly,80\nb,30,1,10,,\n",
         {{"a", 0, 45.5, 2, 0}, {"b", 30, 40, 1, 0}}},
        /* a loses 180/1.6 - 90 = 22.5 s, c 380/1.6 - 190 = 47.5 s */
        {"who loses least",
         SHRINK("pollux"),
         TRIAL_CLUSTER(8),
         NULL,
         MODEL "c,0,,,flat,400\na,0,,,flat,200\nb,10,1,10,,\n",
         {{"a", 0, 122.5, 2, 0}, {"c", 0, 200, 4, 0}, {"b", 10, 20, 1, 0}}},
        /* as "by time"; c takes the last GPU at 12; d has to wait for b, because a shrank at 10 */
        {"interval",
         SHRINK("pollux"),
         TRIAL_CLUSTER(4),
         NULL,
         MODEL "a,0,,,flat,200\nb,10,1,10,,\nc,12,1,100,,\nd,13,1,5,,\n",
         {{"a", 0, 122.5, 2, 0}, {"b", 10, 20, 1, 0}, {"d", 20, 25, 1, 0}}},
        {"not if it may not be preempted",
         SHRINK("pollux"),
         TRIAL_CLUSTER(4),
         ", preemptible: false",
         MODEL "a,0,,,flat,200\nb,10,1,10,,\n",
         {{"a", 0, 100, 4, 0}, {"b", 100, 110, 1, 0}}},
    };
    policy_cases_run(cases, sizeof cases / sizeof *cases);
}

Test(resize, shrinks_for_the_first) {
    static const struct policy_case cases[] = {
        /* by the key, b (10 s) is before c (30 s), though submitted later: b gets the first place,
           c the GPU that is left */
        {"for the first by key",
         SHRINK("pollux"),
         TRIAL_CLUSTER(4),
         NULL,
         MODEL "a,0,,,flat,200\nc,10,2,30,,\nb,10,2,10,,\n",
         {{"a", 0, 122.5, 2, 0}, {"b", 10, 20, 2, 0}, {"c", 20, 50, 2, 0}}},
        /* three sizes wait in three queues; b, the last to come, is first by its key. For d or c a
           would lose more than they gain */
        {"for the first of three queues",
         SHRINK("pollux"),
         TRIAL_CLUSTER(4),
         NULL,
         MODEL "a,0,,,flat,200\nc,10,4,60,,\nd,10,3,30,,\nb,10,2,10,,\n",
         {{"a", 0, 122.5, 2, 0},
          {"b", 10, 20, 2, 0},
          {"d", 122.5, 152.5, 3, 0},
          {"c", 152.5, 212.5, 4, 0}}},
    };
    policy_cases_run(cases, sizeof cases / sizeof *cases);
}

/* Of 4 GPUs with 50 W when free. With a on 4 GPUs they draw 400 W, with a on 2 and b (400 W) on one
 * 650 W. */
#define CAPPED(cap) \
    "cluster: {gpu_types: [{name: g, idle_w: 50, ctx_w: 90, tdp_w: 400}], nodes: [{gpu: g, gpus: 4}], power_cap_w: " #cap \
    "}\n"
#define CHARON "{name: charon, params: {base: pollux, resize: true, shrink: true}}"

/* The cap keeps those from shrinking whose starts it would refuse, and no others. */
Test(resize, shrinks_under_a_cap) {
    static const struct policy_case cases[] = {
        /* as "by time" above: a, at 400 W over the cap itself, loses 22.5 s; b would have to wait
           90 s */
        {"of no concern to pollux",
         SHRINK("pollux"),
         CAPPED(300),
         NULL,
         MODEL "a,0,,,flat,200\nb,10,1,10,,\n",
         {{"a", 0, 122.5, 2, 0}, {"b", 10, 20, 1, 0}}},
        {"just kept by charon",
         CHARON,
         CAPPED(650),
         NULL,
         MODEL "a,0,,,flat,200\nb,10,1,10,,\n",
         {{"a", 0, 122.5, 2, 0}, {"b", 10, 20, 1, 0}}},
        /* 600 W with a on 1 GPU, but there a loses 90 s (+ 9) > 90 */
        {"just not kept by charon",
         CHARON,
         CAPPED(649.999999999),
         NULL,
         MODEL "a,0,,,flat,200\nb,10,1,10,,\n",
         {{"a", 0, 100, 4, 0}, {"b", 100, 110, 1, 0}}},
    };
    policy_cases_run(cases, sizeof cases / sizeof *cases);
}

/* Jobs that were preempted are not in the queue yet, but they count as waiting. */
Test(resize, not_while_somebody_is_stopped) {
    static const struct policy_case cases[] = {
        /* 6 GPUs: v holds 2, y 3 until 25, a one from 1 on. u (until 30 at the latest) displaces v
           at 20, who writes its checkpoint until 30; a would waste less, but its GPU is not enough.
           At 25 y's GPUs are free and u starts: one is left and nobody waits, but v is still to
           come. At 30 v has its 2 GPUs again, 80 s of work left, and a, 71 samples left, gets the
           last one: EDP 200 * (71 / 1.6)^2 < 100 * 71^2 */
        {"in its checkpoint",
         "{name: aurachronos, params: {resize: true}}",
         TRIAL_CLUSTER(6),
         ", rigid_costs: {checkpoint_s: 10}",
         "job_id,submit_s,gpus,duration_s,model,work_samples,deadline_s\n"
         "v,0,2,100,,,\n"
         "y,0,3,25,,,900\n"
         "a,1,,,flat,100,\n"
         "u,20,2,10,,,40\n",
         {{"u", 25, 35, 2, 0}, {"v", 0, 110, 2, 0}, {"a", 1, 74.375, 2, 0}}},
    };
    policy_cases_run(cases, sizeof cases / sizeof *cases);
}

/* v (2 GPUs, 800 W) and a (1 GPU, 100 W) run, y ends at 10, when the cap falls to 600 W until 50
   and v is preempted. In that decision nobody waits and 3 GPUs are free, 400 W if a took them; but
   they are v's as much as a's, who stays on its GPU until 41, since v waits from then on: with a it
   would draw 950 W, alone 900 W. */
Test(resize, not_in_a_decision_that_preempts) {
    temp_file_write_text("cap.csv", "time_s,power_w\n10,600\n50,2000\n");
    static const struct policy_case falls = {"cap falls",
                                             "{name: charon, params: {base: pollux, resize: true}}",
                                             CAPPED({file : cap.csv}),
                                             NULL,
                                             MODEL "v,0,2,100,,\ny,0,1,10,,\na,1,,,flat,40\n",
                                             {{"a", 1, 41, 1, 0}, {"v", 0, 150, 2, 0}}};
    policy_cases_run(&falls, 1);
}
