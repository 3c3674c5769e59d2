/* goodput and sia, worked out by hand above each case. flat makes 1, 1.6 and 2 samples/s on 1, 2
   and 4 GPUs, wide 1 and 3 on 2 and 4 (policy_case.c). */
#include "../support/policy_case.h"
#include "../support/temp_dir.h"

#include <criterion/criterion.h>

TestSuite(allocations, .init = temp_dir_enter, .fini = temp_dir_leave);

#define MODEL "job_id,submit_s,gpus,duration_s,model,work_samples\n"

/* Speedup s = goodput / that of a fair share; the sum of 1 / (s + 0.001) is to be the least, 1000
   for a job without GPUs. */
Test(allocations, goodput) {
    static const struct policy_case cases[] = {
        {"alone",
         "{name: goodput}",
         TRIAL_CLUSTER(4),
         NULL,
         MODEL "a,0,,,flat,4\n",
         {{"a", 0, 2, 4, 0}}},
        /* A fair share is 2 GPUs, 1.6/s. 2 + 2: s = 1, 1, sum 2.00; 1 + 2: 1.60 + 1.00; 4 + 0: 0.80
           + 1000. */
        {"two share",
         "{name: goodput}",
         TRIAL_CLUSTER(4),
         NULL,
         MODEL "a,0,,,flat,160\nb,0,,,flat,160\n",
         {{"a", 0, 100, 2, 0}, {"b", 0, 100, 2, 0}}},
        /* b waits for the round at 60. Then 200 of the 320 samples of a are left, and 2 + 2 is best
           again; b until 160. At 180 a has 8 left and takes all: 4 s. */
        {"resized for another, and back",
         "{name: goodput}",
         TRIAL_CLUSTER(4),
         NULL,
         MODEL "a,0,,,flat,320\nb,30,,,flat,160\n",
         {{"a", 0, 184, 4, 0}, {"b", 60, 160, 2, 0}}},
        /* The same with 1 s for the checkpoint and 2 s for the restart: at 60 a's factor is 60 / 63
           and the sum of 2 + 2 1 / 0.9534 + 1 / 1.001 = 2.05, still the least. It computes from 63
           on. At 180 12.8 samples are left. Alone, its fair share is 4 GPUs: s is 0.8 as it is, sum
           1.25, and (180 - 3) / (180 + 3) = 0.967 on 4 GPUs, sum 1.03: it moves, 183 + 6.4, though
           it would be done at 188. */
        {"with its costs",
         "{name: goodput}",
         TRIAL_CLUSTER(4),
         NULL,
         MODEL "a,0,,,costly,320\nb,30,,,costly,160\n",
         {{"a", 0, 189.4, 4, 0}, {"b", 60, 160, 2, 0}}},
        /* A restart of 3 s, 4 s after a's submission: its factor is 4 / 7, s = 0.571 on 2 GPUs, sum
           1.75 + 1.00 for two jobs; still better than 1000 without GPUs for b. a has 312 samples
           left then, computes from 63 on, and has 124.8 left at 180, when it is alone: 183 + 62.4.
         */
        {"as soon as another comes",
         "{name: goodput}",
         TRIAL_CLUSTER(4),
         NULL,
         MODEL "a,56,,,costly,320\nb,58,,,costly,160\n",
         {{"a", 56, 245.4, 4, 0}, {"b", 60, 160, 2, 0}}},
    };
    policy_cases_run(cases, sizeof cases / sizeof *cases);
}

/* Who has nothing, and who goes first. */
Test(allocations, goodput_of_many) {
    static const struct policy_case cases[] = {
        /* A fair share of 4/3 GPUs is one: 2 + 1 + 1: sum 1/1.601 + 2/1.001 = 2.62; 2 + 2 + 0:
           1001. The first has the two, and keeps them where it is all the same. b and c have done
           120 at 120, when they get 2 GPUs each: 40 / 1.6 = 25 s. */
        {"everybody something",
         "{name: goodput}",
         TRIAL_CLUSTER(4),
         NULL,
         MODEL "a,0,,,flat,160\nb,0,,,flat,160\nc,0,,,flat,160\n",
         {{"a", 0, 100, 2, 0}, {"b", 0, 145, 2, 0}, {"c", 0, 145, 2, 0}}},
        /* Nobody gains by the exchange: b has the first round after 100. */
        {"first come",
         "{name: goodput}",
         TRIAL_CLUSTER(1),
         NULL,
         MODEL "a,0,1,100,,\nb,10,1,50,,\nc,10,1,20,,\n",
         {{"a", 0, 100, 1, 0}, {"b", 120, 170, 1, 0}, {"c", 180, 200, 1, 0}}},
        /* r needs all GPUs; two jobs with GPUs are worth more than one. r has done 60 of 200 s, and
           goes on at 180. */
        {"preempted for two",
         "{name: goodput}",
         TRIAL_CLUSTER(4),
         NULL,
         MODEL "r,0,4,200,,\na,30,,,flat,160\nb,30,,,flat,160\n",
         {{"r", 0, 320, 4, 0}, {"a", 60, 160, 2, 0}, {"b", 60, 160, 2, 0}}},
        {"must not be preempted",
         "{name: goodput}",
         TRIAL_CLUSTER(4),
         ", preemptible: false",
         MODEL "r,0,4,200,,\na,30,,,flat,160\nb,30,,,flat,160\n",
         {{"r", 0, 200, 4, 0}, {"a", 240, 340, 2, 0}, {"b", 240, 340, 2, 0}}},
        /* The fair share, 2 GPUs, makes 1/s. 2 + 2: 1 + 1; 4 + 0: 3 + 0. The mean of power -1 takes
           the first, the sum the second; b then has all GPUs from 120 on. */
        {"fair",
         "{name: goodput}",
         TRIAL_CLUSTER(4),
         NULL,
         MODEL "a,0,,,wide,150\nb,0,,,wide,150\n",
         {{"a", 0, 150, 2, 0}, {"b", 0, 150, 2, 0}}},
        {"sum",
         "{name: goodput, params: {p: 1}}",
         TRIAL_CLUSTER(4),
         NULL,
         MODEL "a,0,,,wide,150\nb,0,,,wide,150\n",
         {{"a", 0, 50, 4, 0}, {"b", 60, 110, 4, 0}}},
    };
    policy_cases_run(cases, sizeof cases / sizeof *cases);
}

/* G = goodput / the least of the job: 1, 1.6, 2 for flat. G^-0.5: 1, 0.791, 0.707; 1.1 without
 * GPUs.
 */
Test(allocations, sia) {
    static const struct policy_case cases[] = {
        /* 2 + 2: 1.581; 1 + 2: 1.791; 4 + 0: 1.807. */
        {"two share",
         "{name: sia}",
         TRIAL_CLUSTER(4),
         NULL,
         MODEL "a,0,,,flat,160\nb,0,,,flat,160\n",
         {{"a", 0, 100, 2, 0}, {"b", 0, 100, 2, 0}}},
        /* 2 + 2 + 0: 2.681; 2 + 1 + 1: 2.791. c has the round at 120, with all GPUs. */
        {"nothing for the third",
         "{name: sia}",
         TRIAL_CLUSTER(4),
         NULL,
         MODEL "a,0,,,flat,160\nb,0,,,flat,160\nc,0,,,flat,160\n",
         {{"a", 0, 100, 2, 0}, {"b", 0, 100, 2, 0}, {"c", 120, 200, 4, 0}}},
        /* 2 + 2 + 0: 3.581; 2 + 1 + 1: 2.791. b and c have 2 GPUs from 120 on. */
        {"a higher penalty",
         "{name: sia, params: {no_allocation: 2}}",
         TRIAL_CLUSTER(4),
         NULL,
         MODEL "a,0,,,flat,160\nb,0,,,flat,160\nc,0,,,flat,160\n",
         {{"a", 0, 100, 2, 0}, {"b", 0, 145, 2, 0}, {"c", 0, 145, 2, 0}}},
        /* r keeps: 1 + 1.1 + 1.1 = 3.2; without it: 1.1 + 1.581 = 2.681. */
        {"preempted for two",
         "{name: sia}",
         TRIAL_CLUSTER(4),
         NULL,
         MODEL "r,0,4,200,,\na,30,,,flat,160\nb,30,,,flat,160\n",
         {{"r", 0, 320, 4, 0}, {"a", 60, 160, 2, 0}, {"b", 60, 160, 2, 0}}},
        /* At 60 a's factor is 60 / 63: 2 GPUs cost (1.6 * 0.952)^-0.5 = 0.810, with b 1.601; as it
           is, 0.707 + 1.1 = 1.807. At 180 it has 0.791 as it is and (2 * 177 / 183)^-0.5 = 0.719 on
           4 GPUs: as goodput does. */
        {"with its costs",
         "{name: sia}",
         TRIAL_CLUSTER(4),
         NULL,
         MODEL "a,0,,,costly,320\nb,30,,,costly,160\n",
         {{"a", 0, 189.4, 4, 0}, {"b", 60, 160, 2, 0}}},
        /* Submitted at 56: 4 / 7, (1.6 * 0.571)^-0.5 = 1.046 on 2 GPUs, with b 1.837; as it
           is, 1.807: b waits. At 120 the factor is 64 / 67: 0.809 + 0.791 = 1.600. a has done 128
           of 320 then, computes from 123 on, and has 192 - 57 * 1.6 = 100.8 left at 180, b 160 - 96
           = 64. b ends at 220, and at 240 a has 4.8 left and moves: 243 + 2.4. */
        {"not yet",
         "{name: sia}",
         TRIAL_CLUSTER(4),
         NULL,
         MODEL "a,56,,,costly,320\nb,58,,,costly,160\n",
         {{"a", 56, 245.4, 4, 0}, {"b", 120, 220, 2, 0}}},
    };
    policy_cases_run(cases, sizeof cases / sizeof *cases);
}

/* G^-0.5 of lossy on 1, 2 and 4 GPUs: 1, 0.25, 0.224. At 10 a's factor is 10 / 40: 2 + 2: (16 / 4)^
   -0.5 + 0.25 = 0.75, against 0.224 + 1 as it is: it moves, and begins again, since it has saved
   nothing. At 20 its factor is (20 - 30) / 50, that is 0: it could only stay, whatever others get.
   b is gone; c has 2 of the 3 GPUs. */
Test(allocations, sia_of_who_cannot_move) {
    static const struct policy_case cases[] = {
        {"factor 0",
         "{name: sia, params: {round_s: 10}}",
         TRIAL_CLUSTER(5),
         NULL,
         MODEL "a,0,,,lossy,64\nb,5,,,lossy,12.8\nc,15,,,flat,16\n",
         {{"a", 0, 50, 2, 0}, {"b", 10, 18, 2, 0}, {"c", 20, 30, 2, 0}}},
    };
    policy_cases_run(cases, sizeof cases / sizeof *cases);
}
