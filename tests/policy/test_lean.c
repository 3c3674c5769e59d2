/* Decisions of lean on small cases, worked out by hand above each case. Rigid jobs draw 400 W a GPU
   and write checkpoints in no time. Model flat draws 100 W a GPU and does 1, 1.6 and 2 samples/s on
   1, 2 and 4, so that E T^a of R samples is 100 R^(1 + a) on 1, 200 (R/1.6)^(1 + a) on 2 and
   400 (R/2)^(1 + a) on 4. */
#include "../support/policy_case.h"
#include "../support/temp_dir.h"

#include <criterion/criterion.h>

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
