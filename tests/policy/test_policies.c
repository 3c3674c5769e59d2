/* Decisions of fcfs, easy, pollux and zeus on small cases, worked out by hand above each case. A
   `=` in a comment is the arithmetic of the key or objective that decides. */
#include "../support/policy_case.h"
#include "../support/temp_dir.h"

#include <criterion/criterion.h>
#include <math.h>

TestSuite(policies, .init = temp_dir_enter, .fini = temp_dir_leave);

#define HEAD "job_id,submit_s,gpus,duration_s,requested_s\n"
#define TWO_TYPES(power_g, power_h) \
    "cluster: {gpu_types: [{name: g, idle_w: 50, tdp_w: " #power_g \
    "}, {name: h, idle_w: 50, tdp_w: " #power_h \
    "}], nodes: [{gpu: g, gpus: 4}, {gpu: h, gpus: 4}]}\n"

Test(policies, fcfs) {
    static const struct policy_case cases[] = {
        /* 4 GPUs, a holds 3 until 10.5. b needs 2 and waits; c would fit at 2, but strict stops at
           b. At 10.5 both start. */
        {"strict head",
         "{name: fcfs}",
         TRIAL_CLUSTER(4),
         NULL,
         HEAD "a,0,3,10.5,\nb,1,2,5,\nc,2,1,2.385,\n",
         {{"a", 0, 10.5, 3, 0}, {"b", 10.5, 15.5, 2, 0}, {"c", 10.5, 12.885, 1, 0}}},
        /* without strict, c goes past b */
        {"first fit",
         "{name: fcfs, params: {strict: false}}",
         TRIAL_CLUSTER(4),
         NULL,
         HEAD "a,0,3,10.5,\nb,1,2,5,\nc,2,1,2.385,\n",
         {{"a", 0, 10.5, 3, 0}, {"b", 10.5, 15.5, 2, 0}, {"c", 2, 4.385, 1, 0}}},
        /* the order is that of submission, whatever the order in the file; equal times keep the
         * order of the file
         */
        {"order",
         "{name: fcfs}",
         TRIAL_CLUSTER(1),
         NULL,
         HEAD "late,3,1,1,\nsecond,1,1,2.5,\nfirst,1,1,9,\nzero,0.5,1,1.125,\n",
         {{"zero", 0.5, 1.625, 1, 0},
          {"second", 1.625, 4.125, 1, 0},
          {"first", 4.125, 13.125, 1, 0},
          {"late", 13.125, 14.125, 1, 0}}},
        /* a malleable job takes the fastest configuration that fits now: of 4 GPUs 2 are free,
           so 1.6 samples/s, not 2: 12 / 1.6 = 7.5 s */
        {"fastest that fits",
         "{name: fcfs}",
         TRIAL_CLUSTER(4),
         NULL,
         "job_id,submit_s,gpus,duration_s,model,work_samples\na,0,2,100,,\nb,2.385,,,flat,12\n",
         {{"a", 0, 100, 2, 0}, {"b", 2.385, 9.885, 2, 0}}},
        /* a rigid job of any type runs equally fast on g and h: of the tie the lower k * P wins
           (tdp 300 < 400), though h stands later; with equal power the earlier type wins */
        {"tie by power",
         "{name: fcfs}",
         TWO_TYPES(400, 300),
         NULL,
         HEAD "a,0,2,7,\n",
         {{"a", 0, 7, 2, 1}}},
        {"tie by type",
         "{name: fcfs}",
         TWO_TYPES(300, 300),
         NULL,
         HEAD "a,0,2,7,\n",
         {{"a", 0, 7, 2, 0}}},
    };
    policy_cases_run(cases, sizeof cases / sizeof *cases);
}

Test(policies, easy) {
    static const struct policy_case cases[] = {
        /* 10 GPUs. a holds 6 until 100; the head b (8) is reserved for 100, with 10 - 8 = 2 extra.
           c (2, 500 s) needs no more than the extra: starts at 2. d (2, 500 s) comes with it: 2
           GPUs are free, but the extra is gone. e (2) at 3 ends at exactly 100, the shadow time:
           starts. f (1) at 3.5: nothing is free. At 100 b starts on 8; it ends at 150, then d and f
           start. */
        {"extra and shadow",
         "{name: easy}",
         TRIAL_CLUSTER(10),
         NULL,
         HEAD "a,0,6,100,\nb,1,8,50,\nc,2,2,500,\nd,2,2,500,\ne,3,2,97,\nf,3.5,1,200,\n",
         {{"a", 0, 100, 6, 0},
          {"b", 100, 150, 8, 0},
          {"c", 2, 502, 2, 0},
          {"d", 150, 650, 2, 0},
          {"e", 3, 100, 2, 0},
          {"f", 150, 350, 1, 0}}},
        /* e one nanosecond longer would end after the shadow time: it waits, and so does b no
           longer than before */
        {"a nanosecond too long",
         "{name: easy}",
         TRIAL_CLUSTER(10),
         NULL,
         HEAD "a,0,6,100,\nb,1,9,50,\nc,3,2,97.000000001,\nd,4,1,200,\n",
         {{"a", 0, 100, 6, 0},
          {"b", 100, 150, 9, 0},
          {"c", 150, 247.000000001, 2, 0},
          {"d", 4, 204, 1, 0}}},
        /* 5 GPUs. a holds 4 and asked for 100, but ends at 30. c (1) fits beside it until 92 <=
           100. At 30 the head b (5) still lacks the GPU of c and starts at 92: what backfilling
           from requests costs. */
        {"requests, not run times",
         "{name: easy}",
         TRIAL_CLUSTER(5),
         NULL,
         HEAD "a,0,4,30,100\nb,1,5,10,\nc,2,1,90,\n",
         {{"a", 0, 30, 4, 0}, {"b", 92, 102, 5, 0}, {"c", 2, 92, 1, 0}}},
        /* a asked for 10 s and is still there at 21: it is expected to end 1 ns later, which is
           when the head b can start; c (1 s) would end after that and there is no extra (4 - 4), so
           it waits behind b. */
        {"overrun",
         "{name: easy}",
         TRIAL_CLUSTER(4),
         NULL,
         HEAD "a,0,3,50,10\nb,20,4,5,\nc,21,1,1,\n",
         {{"a", 0, 50, 3, 0}, {"b", 50, 55, 4, 0}, {"c", 55, 56, 1, 0}}},
        /* A job without a request asks for the configuration of T*: 4 GPUs, 2 samples/s, though 2
         * are free at once.
         */
        {"request of a malleable job",
         "{name: easy}",
         TRIAL_CLUSTER(4),
         NULL,
         "job_id,submit_s,gpus,duration_s,model,work_samples\na,0,2,10,,\nb,1,,,flat,12\nc,2,2,8,,\n",
         {{"a", 0, 10, 2, 0}, {"b", 10, 16, 4, 0}, {"c", 2, 10, 2, 0}}},
    };
    policy_cases_run(cases, sizeof cases / sizeof *cases);
}

Test(policies, easy_on_two_types) {
    static const struct policy_case cases[] = {
        /* One head per GPU type: b blocks g, so d (g, ends after 40, no extra) waits, but e (h)
           starts. b2 may start on both, g is full until 40 and h until 10.5. */
        {"heads per type",
         "{name: easy}",
         TWO_TYPES(400, 400),
         NULL,
         "job_id,submit_s,gpus,duration_s,gpu_type\n"
         "a,0,3,40,g\n"
         "b,1,4,10,g\n"
         "c,2,1,38,g\n"
         "d,3,1,38,g\n"
         "e,3,4,7.5,h\n"
         "b2,4,1,1,\n",
         {{"a", 0, 40, 3, 0},
          {"b", 40, 50, 4, 0},
          {"c", 2, 40, 1, 0},
          {"d", 50, 88, 1, 0},
          {"e", 3, 10.5, 4, 1},
          {"b2", 10.5, 11.5, 1, 1}}},
        /* c becomes the head where it can start first, of h at 20, so d that of g. At 20 c leaves a
           GPU of h free: d is the head there now, at 30, and e that of g; f (ends at 29) may pass
           d, e (at 35) not. At 30 d fits on h; at 35 e. */
        {"a job that two types may serve",
         "{name: easy}",
         TWO_TYPES(400, 400),
         NULL,
         "job_id,submit_s,gpus,duration_s,gpu_type\n"
         "a,0,4,40,g\n"
         "b,0,4,20,h\n"
         "c,1,3,10,\n"
         "d,2,4,5,\n"
         "e,3,1,15,\n"
         "f,4,1,9,\n",
         {{"a", 0, 40, 4, 0},
          {"b", 0, 20, 4, 1},
          {"c", 20, 30, 3, 1},
          {"d", 30, 35, 4, 1},
          {"e", 35, 50, 1, 1},
          {"f", 20, 29, 1, 1}}},
        /* Equal speed, but h draws less, so it is the first candidate; on g the first that is free.
           b asks for h alone, c for either. */
        {"order of candidates",
         "{name: easy}",
         TWO_TYPES(400, 300),
         NULL,
         "job_id,submit_s,gpus,duration_s,gpu_type\n"
         "a,0,3,7,\n"
         "b,0,2,5,h\n"
         "c,0,2,3,g|h\n"
         "d,0,1,2,\n",
         {{"a", 0, 7, 3, 1}, {"b", 7, 12, 2, 1}, {"c", 0, 3, 2, 0}, {"d", 0, 2, 1, 1}}},
    };
    policy_cases_run(cases, sizeof cases / sizeof *cases);
}

Test(policies, pollux) {
    static const struct policy_case cases[] = {
        /* at 10: b 8 / (1 + 9/3600) = 7.98, c 3 / (1 + 8/3600) = 2.99: c first */
        {"shortest first",
         "{name: pollux}",
         TRIAL_CLUSTER(1),
         NULL,
         HEAD "a,0,1,10,\nb,1,1,8,\nc,2,1,3,\n",
         {{"a", 0, 10, 1, 0}, {"b", 13, 21, 1, 0}, {"c", 10, 13, 1, 0}}},
        /* at 20, tau 10: b 8 / (1 + 19.5/10) = 2.7119, c 3 / (1 + 1/10) = 2.7273: b first */
        {"ageing",
         "{name: pollux, params: {tau: 10}}",
         TRIAL_CLUSTER(1),
         NULL,
         HEAD "a,0,1,20,\nb,0.5,1,8,\nc,19,1,3,\n",
         {{"a", 0, 20, 1, 0}, {"b", 20, 28, 1, 0}, {"c", 28, 31, 1, 0}}},
        /* the same a little later: c submitted at 18.9 has 3 / 1.11 = 2.7027 and is first */
        {"ageing, other side",
         "{name: pollux, params: {tau: 10s}}",
         TRIAL_CLUSTER(1),
         NULL,
         HEAD "a,0,1,20,\nb,0.5,1,8,\nc,18.9,1,3,\n",
         {{"a", 0, 20, 1, 0}, {"b", 23, 31, 1, 0}, {"c", 20, 23, 1, 0}}},
        /* equal keys: order in the workload */
        {"equal keys",
         "{name: pollux}",
         TRIAL_CLUSTER(1),
         NULL,
         HEAD "z,1,1,2.385,\ny,1,1,2.385,\nx,1,1,2.385,\n",
         {{"z", 1, 3.385, 1, 0}, {"y", 3.385, 5.77, 1, 0}, {"x", 5.77, 8.155, 1, 0}}},
        /* policies know requests: b asked for 100, so c (50) is first although b runs 1 s */
        {"keys from requests",
         "{name: pollux}",
         TRIAL_CLUSTER(1),
         NULL,
         HEAD "a,0,1,10,\nb,1,1,1,100\nc,2,1,50,\n",
         {{"a", 0, 10, 1, 0}, {"b", 60, 61, 1, 0}, {"c", 10, 60, 1, 0}}},
        /* b has the lower key but does not fit; c goes on the free GPU (backfill); with strict it
           waits */
        {"backfill",
         "{name: pollux}",
         TRIAL_CLUSTER(3),
         NULL,
         HEAD "a,0,2,10,\nb,1,2,3,\nc,2,1,50,\n",
         {{"a", 0, 10, 2, 0}, {"b", 10, 13, 2, 0}, {"c", 2, 52, 1, 0}}},
        {"strict",
         "{name: pollux, params: {strict: true}}",
         TRIAL_CLUSTER(3),
         NULL,
         HEAD "a,0,2,10,\nb,1,2,3,\nc,2,1,50,\n",
         {{"a", 0, 10, 2, 0}, {"b", 10, 13, 2, 0}, {"c", 10, 60, 1, 0}}},
        /* Nodes of 4. a takes 2 of node 0, b the other 2 (fewest free that has 2) until 3, c 2 of
           node 1. At 4 each node has 2 free: 4 GPUs across nodes make 0.5 samples/s, 2 within one
           1/s, so d takes 2: 4.5 s, not 9 s. At 101 all is free: e takes 4 of one node, 12 / 3 = 4
           s. */
        {"judged with its placement",
         "{name: pollux}",
         "cluster: {gpu_types: [{name: g, idle_w: 50, tdp_w: 400}], nodes: [{count: 2, gpu: g, gpus: 4}]}\n",
         ", k: [2, 4]",
         "job_id,submit_s,gpus,duration_s,model,work_samples\n"
         "a,0,2,100,,\n"
         "b,0.1,2,2.9,,\n"
         "c,0.2,2,99.8,,\n"
         "d,4,,,wide,4.5\n"
         "e,101,,,wide,12\n",
         {{"a", 0, 100, 2, 0},
          {"b", 0.1, 3, 2, 0},
          {"c", 0.2, 100, 2, 0},
          {"d", 4, 8.5, 2, 0},
          {"e", 101, 105, 4, 0}}},
    };
    policy_cases_run(cases, sizeof cases / sizeof *cases);
}

#define POWER_HEAD "job_id,submit_s,gpus,duration_s,utilization\n"
#define MODEL_HEAD "job_id,submit_s,gpus,duration_s,model,work_samples\n"

Test(policies, zeus_order) {
    static const struct policy_case cases[] = {
        /* b: 8 s at 50 W (utilization 0), EDP 3200; c: 6 s at 400 W, EDP 14400. zeus takes b first,
           pollux c. */
        {"least EDP first",
         "{name: zeus}",
         TRIAL_CLUSTER(1),
         NULL,
         POWER_HEAD "a,0,1,10,1\nb,1,1,8,0\nc,2,1,6,1\n",
         {{"a", 0, 10, 1, 0}, {"b", 10, 18, 1, 0}, {"c", 18, 24, 1, 0}}},
        {"pollux differs",
         "{name: pollux}",
         TRIAL_CLUSTER(1),
         NULL,
         POWER_HEAD "a,0,1,10,1\nb,1,1,8,0\nc,2,1,6,1\n",
         {{"a", 0, 10, 1, 0}, {"b", 16, 24, 1, 0}, {"c", 10, 16, 1, 0}}},
        /* sqrt(EDP) = T * sqrt(400) = 20 T for both; at 20 with tau 10: b 160 / 2.95 = 54.2, c 60
           / 1.1 = 54.5 */
        {"ageing",
         "{name: zeus, params: {tau: 10}}",
         TRIAL_CLUSTER(1),
         NULL,
         POWER_HEAD "a,0,1,20,1\nb,0.5,1,8,1\nc,19,1,3,1\n",
         {{"a", 0, 20, 1, 0}, {"b", 20, 28, 1, 0}, {"c", 28, 31, 1, 0}}},
    };
    policy_cases_run(cases, sizeof cases / sizeof *cases);
}

Test(policies, zeus_configuration) {
    static const struct policy_case cases[] = {
        /* EDP = k * 100 W * (R/rate)^2: k = 1: 100 R^2, k = 2: 200/2.56 = 78.125 R^2, k = 4: 400/4
           = 100 R^2. Best is 2: R = 4 takes 2.5 s. pollux takes 4: 2 s. */
        {"least EDP",
         "{name: zeus}",
         TRIAL_CLUSTER(4),
         NULL,
         MODEL_HEAD "a,0,,,flat,4\n",
         {{"a", 0, 2.5, 2, 0}}},
        {"pollux differs",
         "{name: pollux}",
         TRIAL_CLUSTER(4),
         NULL,
         MODEL_HEAD "a,0,,,flat,4\n",
         {{"a", 0, 2, 4, 0}}},
        /* without k = 2 the EDP of 1 and 4 GPUs are equal doubles: fewer GPUs */
        {"tie by k",
         "{name: zeus}",
         TRIAL_CLUSTER(4),
         ", k: [4, 1]",
         MODEL_HEAD "a,0,,,flat,4\n",
         {{"a", 0, 4, 1, 0}}},
        /* E T^0 = E: k = 1: 100 R, k = 2: 125 R, k = 4: 200 R. E T^2 over R^3: 100, 48.8, 50. E T^3
           over R^4: 100, 30.5, 25. */
        {"exponent 0",
         "{name: zeus, params: {edp_exponent: 0}}",
         TRIAL_CLUSTER(4),
         NULL,
         MODEL_HEAD "a,0,,,flat,4\n",
         {{"a", 0, 4, 1, 0}}},
        {"exponent 2",
         "{name: zeus, params: {edp_exponent: 2}}",
         TRIAL_CLUSTER(4),
         NULL,
         MODEL_HEAD "a,0,,,flat,4\n",
         {{"a", 0, 2.5, 2, 0}}},
        {"exponent 3",
         "{name: zeus, params: {edp_exponent: 3}}",
         TRIAL_CLUSTER(4),
         NULL,
         MODEL_HEAD "a,0,,,flat,4\n",
         {{"a", 0, 2, 4, 0}}},
        /* One GPU is free until 10. Its EDP is 100/78.125 = 1.28 times the best one. */
        {"slack too small",
         "{name: zeus, params: {edp_slack: 1.2}}",
         TRIAL_CLUSTER(4),
         NULL,
         MODEL_HEAD "a,0,3,10,,\nb,1,,,flat,16\n",
         {{"a", 0, 10, 3, 0}, {"b", 10, 20, 2, 0}}},
        {"slack enough",
         "{name: zeus, params: {edp_slack: 1.3}}",
         TRIAL_CLUSTER(4),
         NULL,
         MODEL_HEAD "a,0,3,10,,\nb,1,,,flat,16\n",
         {{"a", 0, 10, 3, 0}, {"b", 1, 17, 1, 0}}},
        {"slack off",
         "{name: zeus, params: {edp_slack: off}}",
         TRIAL_CLUSTER(4),
         NULL,
         MODEL_HEAD "a,0,3,10,,\nb,1,,,flat,16\n",
         {{"a", 0, 10, 3, 0}, {"b", 1, 17, 1, 0}}},
    };
    policy_cases_run(cases, sizeof cases / sizeof *cases);
}

/* One GPU is free until 10; b takes 16 s on one, T* = 16/2 = 8 s on four. */
#define ONE_FREE MODEL_HEAD "a,0,3,10,,\nb,1,,,flat,16\n"

Test(policies, time_slack) {
    static const struct policy_case cases[] = {
        {"off: adapts",
         "{name: pollux}",
         TRIAL_CLUSTER(4),
         NULL,
         ONE_FREE,
         {{"a", 0, 10, 3, 0}, {"b", 1, 17, 1, 0}}},
        /* 16 <= 2 * 8, equal doubles */
        {"just enough",
         "{name: pollux, params: {time_slack: 2}}",
         TRIAL_CLUSTER(4),
         NULL,
         ONE_FREE,
         {{"a", 0, 10, 3, 0}, {"b", 1, 17, 1, 0}}},
        /* 16 > 1.9 * 8: b waits for a's GPUs */
        {"too small",
         "{name: pollux, params: {time_slack: 1.9}}",
         TRIAL_CLUSTER(4),
         NULL,
         ONE_FREE,
         {{"a", 0, 10, 3, 0}, {"b", 10, 18, 4, 0}}},
        /* T* itself is admitted with 1, also where it is no round number: 2.385/2 s, then 1.7/2 s
           on all four */
        {"waits for the best",
         "{name: pollux, params: {time_slack: 1}}",
         TRIAL_CLUSTER(4),
         NULL,
         MODEL_HEAD "a,0,,,flat,2.385\nb,1,,,flat,1.7\n",
         {{"a", 0, 1.1925, 4, 0}, {"b", 1.1925, 2.0425, 4, 0}}},
        {"themis",
         "{name: themis, params: {time_slack: 1.9}}",
         TRIAL_CLUSTER(4),
         NULL,
         ONE_FREE,
         {{"a", 0, 10, 3, 0}, {"b", 10, 18, 4, 0}}},
        {"chronos without deadlines",
         "{name: chronos, params: {time_slack: 1.9}}",
         TRIAL_CLUSTER(4),
         NULL,
         ONE_FREE,
         {{"a", 0, 10, 3, 0}, {"b", 10, 18, 4, 0}}},
        /* b can meet its deadline (1 + 8 <= 20), is urgent, and waits all the same */
        {"chronos with a deadline",
         "{name: chronos, params: {time_slack: 1.9}}",
         TRIAL_CLUSTER(4),
         NULL,
         "job_id,submit_s,gpus,duration_s,model,work_samples,deadline_s\na,0,3,10,,,\nb,1,,,flat,16,20\n",
         {{"a", 0, 10, 3, 0}, {"b", 10, 18, 4, 0}}},
        {"charon as pollux",
         "{name: charon, params: {base: pollux, time_slack: 1.9}}",
         TRIAL_CLUSTER(4),
         NULL,
         ONE_FREE,
         {{"a", 0, 10, 3, 0}, {"b", 10, 18, 4, 0}}},
    };
    policy_cases_run(cases, sizeof cases / sizeof *cases);
}

#define UNLIKE_IDLE \
    "cluster: {gpu_types: [{name: g, idle_w: 90, tdp_w: 400}, {name: h, idle_w: 10, tdp_w: 400}], nodes: [{gpu: g, gpus: 1}, {gpu: h, gpus: 1}]}\n"

Test(policies, zeus_basis) {
    static const struct policy_case cases[] = {
        /* gross: h, 80 < 100 W; marginal: g, 100 - 90 = 10 W above idle, against 80 - 10 = 70 W */
        {"gross basis",
         "{name: zeus}",
         UNLIKE_IDLE,
         NULL,
         MODEL_HEAD "a,0,,,pair,2.385\n",
         {{"a", 0, 2.385, 1, 1}}},
        {"marginal basis",
         "{name: zeus, params: {power_basis: marginal}}",
         UNLIKE_IDLE,
         NULL,
         MODEL_HEAD "a,0,,,pair,2.385\n",
         {{"a", 0, 2.385, 1, 0}}},
        /* EDP* is marginal too: on h alone EDP is 70/10 = 7 times EDP* when marginal, so slack 6
           waits for g until 5; gross it is best itself */
        {"marginal slack",
         "{name: zeus, params: {power_basis: marginal, edp_slack: 6}}",
         UNLIKE_IDLE,
         NULL,
         "job_id,submit_s,gpus,duration_s,model,work_samples,gpu_type\nx,0,1,5,,,g\na,1,,,pair,2.385,\n",
         {{"x", 0, 5, 1, 0}, {"a", 5, 7.385, 1, 0}}},
    };
    policy_cases_run(cases, sizeof cases / sizeof *cases);
}

/* A load of 1 is no bound (decision 0012). Each of two models is twice as fast on one of two GPU
   types, 8 of each; twice as many jobs of b, whose hour on the first type is half an hour on the
   other: the load of one job per hour is (1/3 * 2 + 2/3 * 1) / 24 = 1/18. Where each runs on its
   own type, 8 GPUs have 1/3 h of each job, so 24 jobs an hour are served: a load of 4/3. Of 1.2
   that is 90 % of the GPUs, and next to nothing waits. Where jobs take what is free, the GPUs are
   full and the queue grows. */
Test(policies, more_than_a_load_of_one) {
#define SPEED(s) \
    "{a_s: " #s ", c_s: " #s \
    ", gamma: 1, alpha_s: 0, p0_w: 100, pmax_w: 200, evidence: assumed, source: x}"
    static const struct trial_options options = {
        .models =
            "models:\n"
            "  - {name: a, m0: 1000, phi: 1, batches: [1], gpus: {g: " SPEED(0.25) ", h: " SPEED(
                0.5) "}}\n"
                     "  - {name: b, m0: 1000, phi: 1, batches: [1], gpus: {g: " SPEED(
                         0.5) ", h: " SPEED(0.25) "}}\n",
        .unchecked = true};
    for (int apart = 0; apart < 2; apart++) {
        struct trial t;
        trial_run(
            &t, &options,
            "name: n\n"
            "horizon: 1000h\n"
            "models: models.yaml\n"
            "policy: {name: zeus, params: {edp_slack: %s}}\n"
            "cluster: {gpu_types: [{name: g, idle_w: 50, tdp_w: 400}, {name: h, idle_w: 50, tdp_w: 400}], nodes: [{gpu: g, gpus: 8}, {gpu: h, gpus: 8}]}\n"
            "workload: {kind: poisson, load: 1.2, k: [1], mix: [{model: a, weight: 1}, {model: b, weight: 2}], sizes: {law: constant, mean: 1h}}\n",
            apart ? "1" : "off");
        trial_must_succeed(&t);
        const struct summary *s = t.summaries;
        cr_expect_float_eq(s->jobs_submitted, 1000 * 1.2 * 18, 500, "%g jobs", s->jobs_submitted);
        if (apart)
            cr_expect(s->jobs_unfinished < 100 && s->util_alloc < 0.93, "%g, %g",
                      s->jobs_unfinished, s->util_alloc);
        else
            cr_expect(s->jobs_unfinished > 2000 && s->util_alloc > 0.99, "%g, %g",
                      s->jobs_unfinished, s->util_alloc);
        trial_finish(&t);
    }
}
