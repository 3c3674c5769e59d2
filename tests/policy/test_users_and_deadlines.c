/* Decisions of themis, hades and chronos on small cases, worked out by hand above each case. */
#include "../support/policy_case.h"
#include "../support/temp_dir.h"

#include <criterion/criterion.h>

TestSuite(users_and_deadlines, .init = temp_dir_enter, .fini = temp_dir_leave);

#define USERS "job_id,submit_s,user,gpus,duration_s\n"
#define DUE   "job_id,submit_s,gpus,duration_s,deadline_s\n"
/* u holds the only GPU for 20 s; then b of u and c of v wait */
#define AFTER_U USERS "a,0,u,1,20\nb,1,u,1,4\nc,1,v,1,9\n"

Test(users_and_deadlines, themis) {
    static const struct policy_case cases[] = {
        /* u0 10: W of u = 1 + 20/10 = 3: b 4 * 3 = 12 > c 9 */
        {"usage",
         "{name: themis, params: {u0: 10}}",
         TRIAL_CLUSTER(1),
         NULL,
         AFTER_U,
         {{"a", 0, 20, 1, 0}, {"c", 20, 29, 1, 0}, {"b", 29, 33, 1, 0}}},
        /* weight 4: W of u = 1 + 20/40: b 6 < c 9 */
        {"weight",
         "{name: themis, params: {u0: 10}}",
         TRIAL_CLUSTER(1) "users: [{name: u, weight: 4}]\n",
         NULL,
         AFTER_U,
         {{"a", 0, 20, 1, 0}, {"b", 20, 24, 1, 0}, {"c", 24, 33, 1, 0}}},
        /* two GPUs, a of u still runs at 20 when w's ends: its 20 GPU-s count as they would if it
           had ended */
        {"running jobs count",
         "{name: themis, params: {u0: 10}}",
         TRIAL_CLUSTER(2),
         NULL,
         USERS "a,0,u,1,100\nx,0,w,1,20\nb,1,u,1,4\nc,1,v,1,9\n",
         {{"a", 0, 100, 1, 0}, {"c", 20, 29, 1, 0}, {"b", 29, 33, 1, 0}}},
        /* half-life 10 s: U of u is (1 - 2^-2) * 10/ln 2 = 10.82 at 20 and 10.82 * 2^-3 = 1.35 at
           50: b 4 * 1.135 = 4.5 < c 9; without it b 12 > c 9 */
        {"half-life",
         "{name: themis, params: {u0: 10, half_life_s: 10}}",
         TRIAL_CLUSTER(1),
         NULL,
         USERS "a,0,u,1,20\nx,20,w,1,30\nb,21,u,1,4\nc,21,v,1,9\n",
         {{"x", 20, 50, 1, 0}, {"b", 50, 54, 1, 0}, {"c", 54, 63, 1, 0}}},
        {"no half-life",
         "{name: themis, params: {u0: 10}}",
         TRIAL_CLUSTER(1),
         NULL,
         USERS "a,0,u,1,20\nx,20,w,1,30\nb,21,u,1,4\nc,21,v,1,9\n",
         {{"x", 20, 50, 1, 0}, {"c", 50, 59, 1, 0}, {"b", 59, 63, 1, 0}}},
        /* nobody of them has used anything: shortest first */
        {"shortest",
         "{name: themis}",
         TRIAL_CLUSTER(1),
         NULL,
         USERS "a,0,w,1,20\nb,1,u,1,9\nc,1,v,1,4\n",
         {{"c", 20, 24, 1, 0}, {"b", 24, 33, 1, 0}}},
    };
    policy_cases_run(cases, sizeof cases / sizeof *cases);
}

Test(users_and_deadlines, hades) {
    static const struct policy_case cases[] = {
        /* sqrt(EDP*) = sqrt(400 W) T = 20 T: b 80 * 3 = 240 > c 180 */
        {"usage",
         "{name: hades, params: {u0: 10}}",
         TRIAL_CLUSTER(1),
         NULL,
         AFTER_U,
         {{"c", 20, 29, 1, 0}, {"b", 29, 33, 1, 0}}},
        /* weight 4: b 80 * 1.5 = 120 < c 180 */
        {"weight",
         "{name: hades, params: {u0: 10}}",
         TRIAL_CLUSTER(1) "users: [{name: u, weight: 4}]\n",
         NULL,
         AFTER_U,
         {{"b", 20, 24, 1, 0}, {"c", 24, 33, 1, 0}}},
        /* descending EDP* / (1 + U): b 400 * 81 = 32400, c 400 * 16 = 6400: the large one first;
           sqrt takes c */
        {"slide",
         "{name: hades, params: {score: slide}}",
         TRIAL_CLUSTER(1),
         NULL,
         USERS "a,0,w,1,20\nb,1,u,1,9\nc,1,v,1,4\n",
         {{"b", 20, 29, 1, 0}, {"c", 29, 33, 1, 0}}},
        {"sqrt",
         "{name: hades}",
         TRIAL_CLUSTER(1),
         NULL,
         USERS "a,0,w,1,20\nb,1,u,1,9\nc,1,v,1,4\n",
         {{"c", 20, 24, 1, 0}, {"b", 24, 33, 1, 0}}},
        /* flat: EDP 100 R^2 on 1 GPU, 78.125 R^2 on 2: one free GPU is 1.28 EDP*. Slack 1.2 leaves
           it idle until 10, when 2 GPUs take 4/1.6 s; slack 1.3 takes it */
        {"slack holds",
         "{name: hades, params: {edp_slack: 1.2}}",
         TRIAL_CLUSTER(4),
         NULL,
         "job_id,submit_s,gpus,duration_s,model,work_samples\na,0,3,10,,\nb,1,,,flat,4\n",
         {{"a", 0, 10, 3, 0}, {"b", 10, 12.5, 2, 0}}},
        {"slack lets pass",
         "{name: hades, params: {edp_slack: 1.3}}",
         TRIAL_CLUSTER(4),
         NULL,
         "job_id,submit_s,gpus,duration_s,model,work_samples\na,0,3,10,,\nb,1,,,flat,4\n",
         {{"a", 0, 10, 3, 0}, {"b", 1, 5, 1, 0}}},
    };
    policy_cases_run(cases, sizeof cases / sizeof *cases);
}

Test(users_and_deadlines, chronos) {
    static const struct policy_case cases[] = {
        /* c can meet its deadline (20 + 9 <= 100), b has none: c first though longer */
        {"deadline first",
         "{name: chronos}",
         TRIAL_CLUSTER(1),
         NULL,
         DUE "a,0,1,20,\nb,1,1,3,\nc,1,1,9,100\n",
         {{"c", 20, 29, 1, 0}, {"b", 29, 32, 1, 0}}},
        /* 20 + 9 > 25: c is too late and stands among the others, by T* */
        {"out of reach",
         "{name: chronos}",
         TRIAL_CLUSTER(1),
         NULL,
         DUE "a,0,1,20,\nb,1,1,3,\nc,1,1,9,25\n",
         {{"b", 20, 23, 1, 0}, {"c", 23, 32, 1, 0}}},
        /* 20 + 9 = 29: just in time is in time */
        {"just within reach",
         "{name: chronos}",
         TRIAL_CLUSTER(1),
         NULL,
         DUE "a,0,1,20,\nb,1,1,3,\nc,1,1,9,29\n",
         {{"c", 20, 29, 1, 0}, {"b", 29, 32, 1, 0}}},
        /* deadlines 60 and 55: d first; slack 60 - 20 - 9 = 31 and 55 - 20 - 2 = 33: c first */
        {"by deadline",
         "{name: chronos}",
         TRIAL_CLUSTER(1),
         NULL,
         DUE "a,0,1,20,\nc,1,1,9,60\nd,1,1,2,55\n",
         {{"d", 20, 22, 1, 0}, {"c", 22, 31, 1, 0}}},
        {"by slack",
         "{name: chronos, params: {order: slack}}",
         TRIAL_CLUSTER(1),
         NULL,
         DUE "a,0,1,20,\nc,1,1,9,60\nd,1,1,2,55\n",
         {{"c", 20, 29, 1, 0}, {"d", 29, 31, 1, 0}}},
        /* tau 10, at 20: b 8 / (1 + 19.5/10) = 2.71, c 3 / (1 + 1/10) = 2.73 */
        {"ageing",
         "{name: chronos, params: {tau: 10}}",
         TRIAL_CLUSTER(1),
         NULL,
         DUE "a,0,1,20,\nb,0.5,1,8,\nc,19,1,3,\n",
         {{"b", 20, 28, 1, 0}, {"c", 28, 31, 1, 0}}},
    };
    policy_cases_run(cases, sizeof cases / sizeof *cases);
}
