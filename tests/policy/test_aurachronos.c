/* Decisions of aurachronos on small cases, worked out by hand above each case. Rigid jobs draw 400
   W a GPU, 90 W in set-up. */
#include "../support/policy_case.h"
#include "../support/temp_dir.h"

#include <criterion/criterion.h>

TestSuite(aurachronos, .init = temp_dir_enter, .fini = temp_dir_leave);

#define DUE   "job_id,submit_s,gpus,duration_s,deadline_s\n"
#define MODEL "job_id,submit_s,gpus,duration_s,model,work_samples,deadline_s\n"

Test(aurachronos, order) {
    static const struct policy_case cases[] = {
        /* c can meet its deadline (20 + 9 <= 100), b has none: c first though longer */
        {"deadline first",
         "{name: aurachronos, params: {preempt_slack_s: 0}}",
         TRIAL_CLUSTER(1),
         NULL,
         DUE "a,0,1,20,\nb,1,1,3,\nc,1,1,9,100\n",
         {{"c", 20, 29, 1, 0}, {"b", 29, 32, 1, 0}}},
        /* slack 60 - 20 - 9 = 31 and 55 - 20 - 2 = 33: c first */
        {"by slack",
         "{name: aurachronos, params: {preempt_slack_s: 0}}",
         TRIAL_CLUSTER(1),
         NULL,
         DUE "a,0,1,20,\nc,1,1,9,60\nd,1,1,2,55\n",
         {{"c", 20, 29, 1, 0}, {"d", 29, 31, 1, 0}}},
        /* 20 + 9 > 25: c is too late and stands among the others by sqrt(EDP*) = 20 T */
        {"out of reach",
         "{name: aurachronos, params: {preempt_slack_s: 0}}",
         TRIAL_CLUSTER(1),
         NULL,
         DUE "a,0,1,20,\nb,1,1,3,\nc,1,1,9,25\n",
         {{"b", 20, 23, 1, 0}, {"c", 23, 32, 1, 0}}},
        /* a, which takes no time, is in time at 0 */
        {"due at once",
         "{name: aurachronos}",
         TRIAL_CLUSTER(1),
         NULL,
         DUE "b,0,1,5,\na,0,1,0,0\n",
         {{"a", 0, 0, 1, 0}, {"b", 0, 5, 1, 0}}},
        /* tau 10, at 20: b 160 / (1 + 19.5/10) = 54.2, c 60 / (1 + 1/10) = 54.5 */
        {"ageing",
         "{name: aurachronos, params: {tau: 10}}",
         TRIAL_CLUSTER(1),
         NULL,
         DUE "a,0,1,20,\nb,0.5,1,8,\nc,19,1,3,\n",
         {{"b", 20, 28, 1, 0}, {"c", 28, 31, 1, 0}}},
    };
    policy_cases_run(cases, sizeof cases / sizeof *cases);
}

Test(aurachronos, configuration) {
    static const struct policy_case cases[] = {
        /* flat: EDP 100 R^2 on 1 GPU, 78.125 R^2 on 2, 100 R^2 on 4; R = 4 takes 4, 2.5 and 2 s */
        {"least EDP in time",
         "{name: aurachronos}",
         TRIAL_CLUSTER(4),
         NULL,
         MODEL "a,0,,,flat,4,3\n",
         {{"a", 0, 2.5, 2, 0}}},
        {"only the fastest is in time",
         "{name: aurachronos}",
         TRIAL_CLUSTER(4),
         NULL,
         MODEL "a,0,,,flat,4,2.2\n",
         {{"a", 0, 2, 4, 0}}},
        {"urgent by time",
         "{name: aurachronos, params: {urgent_objective: time}}",
         TRIAL_CLUSTER(4),
         NULL,
         MODEL "a,0,,,flat,4,3\n",
         {{"a", 0, 2, 4, 0}}},
        /* One GPU is free until 10, and b would end at 5 > 4: skipped, c takes it. At 3 b is late
           (3 + 2 > 4) and takes what there is. */
        {"skipped",
         "{name: aurachronos, params: {preempt_slack_s: 0}}",
         TRIAL_CLUSTER(4),
         NULL,
         MODEL "a,0,3,10,,,\nb,1,,,flat,4,4\nc,1,1,2,,,\n",
         {{"c", 1, 3, 1, 0}, {"b", 3, 7, 1, 0}}},
        /* edp_slack 1.2 holds back the 1.28 EDP* of one GPU for b, which has no deadline, not for
           c, which has: c starts at 1 and leaves none */
        {"slack of the others only",
         "{name: aurachronos, params: {edp_slack: 1.2, preempt_slack_s: 0}}",
         TRIAL_CLUSTER(4),
         NULL,
         MODEL "a,0,3,10,,,\nb,0.5,,,flat,4,\nc,1,,,flat,4,6\n",
         {{"c", 1, 5, 1, 0}, {"b", 10, 12.5, 2, 0}}},
        /* Resizing d, on 4 GPUs to be in time, to 2 would save 22 % of its EDP at 1 (14 samples
           left: 400 * 7^2 = 19600, 200 * 8.75^2 = 15312) and end at 9.75 > 9 */
        {"not resized into missing a deadline",
         "{name: aurachronos, params: {resize: true}}",
         TRIAL_CLUSTER(8),
         NULL,
         MODEL "d,0,,,flat,16,9\nx,1,1,1,,,\n",
         {{"d", 0, 8, 4, 0}}},
        /* The same with a deadline of 10 and a margin of 0.6: 9.75 + 0.6 > 10; nor at 2, when x
           ends and 12 samples are left: 2 + 7.5 + 0.6 > 10. With 0.5 just then. */
        {"not resized into missing the margin",
         "{name: aurachronos, params: {resize: true, deadline_margin_s: 0.6}}",
         TRIAL_CLUSTER(8),
         NULL,
         MODEL "d,0,,,flat,16,10\nx,1,1,1,,,\n",
         {{"d", 0, 8, 4, 0}}},
        {"resized just within the margin",
         "{name: aurachronos, params: {resize: true, deadline_margin_s: 0.5}}",
         TRIAL_CLUSTER(8),
         NULL,
         MODEL "d,0,,,flat,16,10\nx,1,1,1,,,\n",
         {{"d", 0, 9.5, 2, 0}}},
        /* 9.75 + 0.2 <= 10, though 2 GPUs from the start on would not do: 10 + 0.2 > 10 */
        {"resized within the margin",
         "{name: aurachronos, params: {resize: true, deadline_margin_s: 0.2}}",
         TRIAL_CLUSTER(8),
         NULL,
         MODEL "d,0,,,flat,16,10\nx,1,1,1,,,\n",
         {{"d", 0, 9.75, 2, 0}}},
    };
    policy_cases_run(cases, sizeof cases / sizeof *cases);
}

/* "flat" alone: 2 s on 4 GPUs, 2.5 s on the 2 of least EDP. */
Test(aurachronos, deadline_margin) {
    static const struct policy_case cases[] = {
        /* 2.5 + 0.6 > 3, 2 + 0.6 <= 3 */
        {"margin",
         "{name: aurachronos, params: {deadline_margin_s: 0.6}}",
         TRIAL_CLUSTER(4),
         NULL,
         MODEL "a,0,,,flat,4,3\n",
         {{"a", 0, 2, 4, 0}}},
        /* 0 + 2 + 1 <= 3: within reach, on 4 GPUs; 0 + 2 + 1.1 > 3: one of the others, which start
           at once where EDP is least. So is it with a margin up to the start, which is not no
           margin. */
        {"just within reach with the margin",
         "{name: aurachronos, params: {deadline_margin_s: 1}}",
         TRIAL_CLUSTER(8),
         NULL,
         MODEL "a,0,,,flat,4,3\n",
         {{"a", 0, 2, 4, 0}}},
        {"out of reach with the margin",
         "{name: aurachronos, params: {deadline_margin_s: 1.1}}",
         TRIAL_CLUSTER(8),
         NULL,
         MODEL "a,0,,,flat,4,3\nx,0.5,1,1,,,\n",
         {{"a", 0, 2.5, 2, 0}}},
        {"margin up to the start",
         "{name: aurachronos, params: {deadline_margin_s: 2.4}}",
         TRIAL_CLUSTER(8),
         NULL,
         MODEL "a,0,,,flat,4,2.4\nx,0.5,1,1,,,\n",
         {{"a", 0, 2.5, 2, 0}}},
        /* Nothing is free until 0.7. Then 0.7 + 2 + 0.5 > 3: one of the others, in the
           configuration of least EDP; it still ends late. Without the margin in the tier it would
           be asked for an end by 2.5 and wait until 0.7 + 2 > 3 is found at 5. */
        {"out of reach while it waits",
         "{name: aurachronos, params: {deadline_margin_s: 0.5, preempt_slack_s: 0}}",
         TRIAL_CLUSTER(4),
         NULL,
         MODEL "x,0,4,0.7,,,\na,0.1,,,flat,4,3\ny,5,1,1,,,\n",
         {{"a", 0.7, 3.2, 2, 0}}},
    };
    policy_cases_run(cases, sizeof cases / sizeof *cases);
}

Test(aurachronos, preemption) {
    static const struct policy_case cases[] = {
        /* slack of b: 20 - 5 - 10 = 5 < 600. a has 95 s left and no costs: 15 + 95 */
        {"displaces",
         "{name: aurachronos}",
         TRIAL_CLUSTER(2),
         NULL,
         DUE "a,0,2,100,\nb,5,1,10,20\n",
         {{"b", 5, 15, 1, 0}, {"a", 0, 110, 2, 0}}},
        {"switched off",
         "{name: aurachronos, params: {preempt_slack_s: 0}}",
         TRIAL_CLUSTER(2),
         NULL,
         DUE "a,0,2,100,\nb,5,1,10,20\n",
         {{"a", 0, 100, 2, 0}, {"b", 100, 110, 1, 0}}},
        /* slack 15 at 5, 4 at 16, when x comes. At 26 x (EDP 400) goes before a, which has 34 s
           left */
        {"when the slack is small enough",
         "{name: aurachronos, params: {preempt_slack_s: 5}}",
         TRIAL_CLUSTER(1),
         NULL,
         DUE "a,0,1,50,\nb,5,1,10,30\nx,16,1,1,\n",
         {{"b", 16, 26, 1, 0}, {"x", 26, 27, 1, 0}, {"a", 0, 61, 1, 0}}},
        {"not jobs of class sla",
         "{name: aurachronos}",
         TRIAL_CLUSTER(1),
         NULL,
         DUE "a,0,1,50,1000\nb,5,1,10,20\n",
         {{"a", 0, 50, 1, 0}, {"b", 50, 60, 1, 0}}},
        {"not those that may not be preempted",
         "{name: aurachronos}",
         TRIAL_CLUSTER(1),
         ", preemptible: false",
         DUE "a,0,1,50,\nb,5,1,10,20\n",
         {{"a", 0, 50, 1, 0}, {"b", 50, 60, 1, 0}}},
        /* a is displaced at 5 by b; at 20 it has run 5 + 5 s and stays */
        {"only so often",
         "{name: aurachronos, params: {max_preemptions: 1}}",
         TRIAL_CLUSTER(1),
         NULL,
         DUE "a,0,1,50,\nb,5,1,10,20\nc,20,1,10,40\n",
         {{"b", 5, 15, 1, 0}, {"a", 0, 60, 1, 0}, {"c", 60, 70, 1, 0}}},
        /* a, best-effort with a deadline, has less slack (1 s) than b (2 s), and starts at 0 in the
           same pass */
        {"not those that have just started",
         "{name: aurachronos}",
         TRIAL_CLUSTER(1),
         NULL,
         "job_id,submit_s,gpus,duration_s,deadline_s,class\na,0,1,10,11,best_effort\nb,0,1,10,12,sla\n",
         {{"a", 0, 10, 1, 0}, {"b", 10, 20, 1, 0}}},
    };
    policy_cases_run(cases, sizeof cases / sizeof *cases);
}

Test(aurachronos, victims) {
    static const struct policy_case cases[] = {
        /* checkpoints every 8 s: at 9.5 a (since 0) would lose 1.5 s, b (since 1) 0.5 s: b goes. It
           keeps 8 s: from 19.5 on 3 + 92 s */
        {"least lost work",
         "{name: aurachronos}",
         TRIAL_CLUSTER(2),
         ", rigid_costs: {restart_s: 3, checkpoint_interval_s: 8}",
         DUE "a,0,1,100,\nb,1,1,100,\nc,9.5,1,10,22\n",
         {{"c", 9.5, 19.5, 1, 0}, {"a", 0, 100, 1, 0}, {"b", 1, 114.5, 1, 0}}},
        /* wasted: a 1 * 90 * 3 = 270 J, b 810 J. a alone does not suffice, with b it is not needed.
           b: from 14 on 3 + 96 s */
        {"none that is not needed",
         "{name: aurachronos}",
         TRIAL_CLUSTER(4),
         ", rigid_costs: {restart_s: 3}",
         DUE "a,0,1,100,\nb,0,3,100,\nc,4,3,10,25\n",
         {{"c", 4, 14, 3, 0}, {"a", 0, 100, 1, 0}, {"b", 0, 113, 3, 0}}},
        /* c could run on 1, 2 or 4 GPUs for 4, 2.5 or 2 s and has 3: of 2 and 4 GPUs, 2 waste one
           job (270 J) and the free GPU is used. a goes, since the jobs waste alike and a was
           submitted first */
        {"the configuration that wastes least",
         "{name: aurachronos}",
         TRIAL_CLUSTER(4),
         ", rigid_costs: {restart_s: 3}",
         MODEL "a,0,1,100,,,\nb,0,1,100,,,\nd,0,1,100,,,\nc,4,,,flat,4,7\n",
         {{"c", 4, 6.5, 2, 0}, {"b", 0, 100, 1, 0}, {"d", 0, 100, 1, 0}, {"a", 0, 105.5, 1, 0}}},
        /* checkpoint until 7: 5 + 2 + 10 = 17 <= 20; a has 95 s left and restarts at 17 */
        {"after a checkpoint",
         "{name: aurachronos}",
         TRIAL_CLUSTER(1),
         ", rigid_costs: {checkpoint_s: 2}",
         DUE "a,0,1,50,\nb,5,1,10,20\n",
         {{"b", 7, 17, 1, 0}, {"a", 0, 62, 1, 0}}},
        {"the checkpoint takes too long",
         "{name: aurachronos}",
         TRIAL_CLUSTER(1),
         ", rigid_costs: {checkpoint_s: 2}",
         DUE "a,0,1,50,\nb,5,1,10,16.5\n",
         {{"a", 0, 50, 1, 0}, {"b", 50, 60, 1, 0}}},
        /* 2 GPUs: b makes a write until 7. c at 6 does not displace d at the same time, but at 7,
           when b has started: d writes until 9, c runs from 9 to 19. a and d wait: a (EDP* of 45 s)
           at 17, d (53 s) at 19 */
        {"one after the other",
         "{name: aurachronos}",
         TRIAL_CLUSTER(2),
         ", rigid_costs: {checkpoint_s: 2}",
         DUE "a,0,1,50,\nd,0,1,60,\nb,5,1,10,20\nc,6,1,10,25\n",
         {{"b", 7, 17, 1, 0}, {"c", 9, 19, 1, 0}, {"a", 0, 62, 1, 0}, {"d", 0, 72, 1, 0}}},
        /* a writes until 5.5, so c displaces d at once: d writes until 6.2 */
        {"no longer than the checkpoint",
         "{name: aurachronos}",
         TRIAL_CLUSTER(2),
         ", rigid_costs: {checkpoint_s: 0.5}",
         DUE "a,0,1,50,\nd,0,1,60,\nb,5,1,10,20\nc,5.7,1,10,25\n",
         {{"b", 5.5, 15.5, 1, 0},
          {"c", 6.2, 16.2, 1, 0},
          {"a", 0, 60.5, 1, 0},
          {"d", 0, 70.5, 1, 0}}},
    };
    policy_cases_run(cases, sizeof cases / sizeof *cases);
}
