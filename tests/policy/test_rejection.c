/* Jobs that the policy refuses for good: what becomes of them in results, and refusals to refuse.
   Rigid jobs on GPUs of 400 W, free ones draw 50 W, held without computing 90 W. */
#include "../support/scenario.h"
#include "../support/temp_dir.h"
#include "metrics/job_segments.h"

#include <criterion/criterion.h>
#include <math.h>

TestSuite(rejection, .init = temp_dir_enter, .fini = temp_dir_leave);

static void run(struct trial *t, const struct trial_options *options, const char *policy) {
    trial_run(t, options, "name: n\nhorizon: drain\npolicy: %s\n" TRIAL_CLUSTER(2) TRIAL_JOBS,
              policy);
}

#define JOBS            "job_id,submit_s,gpus,duration_s\na,0,2,10\nb,1,1,5\nc,2,1,7\n"
#define SCRIPT(actions) "{name: script, params: {actions: \"" actions "\"}}"

/* a runs from 0 to 10, b is refused at 4 while it waits, c starts when a has ended. */
Test(rejection, of_a_waiting_job) {
    struct trial t;
    run(&t, &(struct trial_options){.jobs = JOBS, .strict = true, .decisions = true},
        SCRIPT("0 start 0 0, 4 reject 1 0, 10 start 2 0"));
    trial_must_succeed(&t);
    const struct trial_job *b = trial_find(&t, "b");
    cr_expect_eq(b->state, EASIM_JOB_REJECTED);
    cr_expect_str_eq(b->reason, "by the policy: the script says so");
    cr_expect(b->start_ns == -1 && b->finish_ns == -1 && b->energy_j == 0 && b->gpu_s == 0);
    cr_expect_eq(trial_find(&t, "c")->finish_ns, 17000000000);
    cr_expect_eq(t.summaries->jobs_rejected, 1);
    cr_expect_eq(t.summaries->jobs_finished, 2);
    cr_expect_eq(t.summaries->jobs_unfinished, 0);
    cr_expect_float_eq(t.summaries->jct_mean_s, (10 + 15) / 2.0, 1e-9); /* of those that finish */
    cr_expect(strstr(t.jobs_csv.text, ",rejected,"), "%s", t.jobs_csv.text);
    const char *row = strstr(t.decisions_csv.text, "reject,b,");
    cr_assert(row, "%s", t.decisions_csv.text);
    cr_expect(strstr(row, ",by the policy: the script says so,"), "%s", row);
    cr_expect_null(strstr(row + 1, "reject,b,"), "told twice: %s", row);
    trial_finish(&t);
}

/* b computes 2 of its 5 s on one of the GPUs, is stopped with its work and refused: the energy and
   the GPU time were spent, 2 s of 400 W. The run ends with the last job that is not rejected. */
Test(rejection, of_a_job_that_ran) {
    struct trial t;
    run(&t,
        &(struct trial_options){.jobs = "job_id,submit_s,gpus,duration_s\na,0,1,10\nb,1,1,5\n",
                                .strict = true},
        SCRIPT("0 start 0 0, 1 start 1 0, 3 stop 1, 6 reject 1 0"));
    trial_must_succeed(&t);
    const struct trial_job *b = trial_find(&t, "b");
    cr_expect(b->state == EASIM_JOB_REJECTED && b->finish_ns == -1 && b->start_ns == 1000000000);
    cr_expect_eq(b->energy_j, 2 * 400);
    cr_expect_eq(b->gpu_s, 2);
    cr_expect_eq(t.summaries->sim_s, 10);
    cr_expect_eq(t.summaries->jobs_rejected, 1);
    trial_finish(&t);
}

/* All jobs are over when the last that waits is rejected: a drained run ends then. */
Test(rejection, of_all_jobs) {
    struct trial t;
    run(&t, &(struct trial_options){.jobs = JOBS, .strict = true},
        SCRIPT("0 reject 0 0, 1 reject 1 0, 2.5 reject 2 0"));
    trial_must_succeed(&t);
    cr_expect_eq(t.summaries->jobs_rejected, 3);
    cr_expect_eq(t.summaries->sim_s, 2.5);
    cr_expect(isnan(t.summaries->jct_mean_s));
    trial_finish(&t);
}

static void keep_segments(void *context, const struct replication *replication) {
    (void)context;
    cr_expect_eq(replication->sim->rejected, 2);
}

/* Segments tile the life of a rejected job up to its rejection. */
Test(rejection, segments) {
    struct job_segments segments;
    struct trial t;
    job_segments_init(&segments, NULL);
    run(&t,
        &(struct trial_options){
            .jobs = JOBS, .strict = true, .watch = &segments.observer, .look = keep_segments},
        SCRIPT("0 start 0 0, 3 stop 0, 4 reject 1 0, 5 reject 0 0, 6 start 2 0"));
    trial_must_succeed(&t);
    size_t last_of_b = 0, last_of_a = 0;
    for (size_t i = 0; i < segments.list.count; i++) {
        if (segments.list.at[i].told.job == 0)
            last_of_a = i;
        if (segments.list.at[i].told.job == 1)
            last_of_b = i;
    }
    const struct segment *a = &segments.list.at[last_of_a].told,
                         *b = &segments.list.at[last_of_b].told;
    cr_expect(a->kind == SEGMENT_QUEUED && a->ended == CAUSE_REJECTED &&
              a->start_ns == 3000000000 && a->end_ns == 5000000000);
    cr_expect(b->kind == SEGMENT_QUEUED && b->ended == CAUSE_REJECTED && b->end_ns == 4000000000);
    job_segments_finish(&segments);
    trial_finish(&t);
}

/* Wrong rejections, of a running job, one that is over, one that is no job, one that is rejected
   already, and without the capability. */
Test(rejection, refusals) {
    static const struct {
        const char *policy;
        enum refusal why;
    } cases[] = {
        {"{name: misuse, params: {kind: reject_running}}", REFUSED_STATE},
        {"{name: misuse, params: {kind: reject_started}}", REFUSED_STATE},
        {"{name: misuse, params: {kind: reject_over}}", REFUSED_STATE},
        {"{name: misuse, params: {kind: reject_none}}", REFUSED_NO_SUCH_JOB},
        {"{name: misuse, params: {kind: reject_later}}", REFUSED_STATE},
        {"{name: undeclared}", REFUSED_CAPABILITY},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trial t;
        run(&t, &(struct trial_options){.jobs = JOBS}, cases[i].policy);
        cr_assert_eq(t.status, 0, "%s: %s", cases[i].policy, t.failure);
        for (int r = 0; r < REFUSAL_COUNT; r++)
            cr_expect_eq(t.refused[r] > 0, r == (int)cases[i].why, "%s: \"%s\" %llu times",
                         cases[i].policy, refusal_names[r], (unsigned long long)t.refused[r]);
        cr_expect_eq(t.summaries->jobs_finished, 3, "%s", cases[i].policy);
        trial_finish(&t);
        run(&t, &(struct trial_options){.jobs = JOBS, .strict = true}, cases[i].policy);
        cr_expect(t.status == ERROR_RUN && strstr(t.failure, "reject of job"), "%s: %s",
                  cases[i].policy, t.failure);
        trial_finish(&t);
    }
}

/* A job that is refused is out of the queue, and the second attempt is told so. */
Test(rejection, twice) {
    struct trial t;
    run(&t, &(struct trial_options){.jobs = JOBS}, "{name: misuse, params: {kind: reject_twice}}");
    cr_assert_eq(t.status, 0, "%s", t.failure);
    cr_expect_eq(t.refused[REFUSED_STATE], 1);
    cr_expect_eq(t.summaries->jobs_rejected, 1);
    cr_expect_eq(t.summaries->jobs_finished, 2);
    trial_finish(&t);
}

/* A list policy refuses in begin, or where it is asked for a key, jobs whose deadline cannot be met
   any more: with and without ageing queues, in rounds, and with a power cap that asks early. b
   would end at 1 + 10 + 5 > 12 at the earliest, c at 17 < 30. */
Test(rejection, by_list_policies) {
    static const char *const how[] = {"begin", "key", "key, strict: true", "begin, round_s: 10s",
                                      "key, round_s: 10s"};
    for (size_t i = 0; i < sizeof how / sizeof *how; i++) {
        char policy[120];
        struct trial t;
        snprintf(policy, sizeof policy, "{name: refuses, params: {where: %s}}", how[i]);
        run(&t,
            &(struct trial_options){
                .jobs = "job_id,submit_s,gpus,duration_s,deadline_s\na,0,2,10,\nb,1,1,5,12\n"
                        "c,2,1,7,30\nd,2,2,5,\n",
                .strict = true},
            policy);
        trial_must_succeed(&t);
        cr_expect_eq(trial_find(&t, "b")->state, EASIM_JOB_REJECTED, "%s", how[i]);
        cr_expect_str_eq(trial_find(&t, "b")->reason, "by the policy: its deadline is too close");
        cr_expect_eq(t.summaries->jobs_rejected, 1, "%s", how[i]);
        cr_expect_eq(t.summaries->jobs_finished, 3, "%s", how[i]);
        cr_expect_eq(t.summaries->deadline_missed, 1, "%s", how[i]);
        trial_finish(&t);
    }
}

/* The reason of a job is the first four characters of its name: a hundred reasons are kept, the
   rest is told as one. The first one comes twice, and counts once. */
Test(rejection, many_reasons) {
    struct trial t;
    struct str jobs = {0};
    str_add(&jobs, "job_id,submit_s,gpus,duration_s\n");
    for (int j = 0; j < 130; j++)
        str_addf(&jobs, "j%03d,%d,1,1\n%s", j, j, j == 0 ? "j000 again,0.5,1,1\n" : "");
    run(&t, &(struct trial_options){.jobs = jobs.text, .strict = true},
        "{name: misuse, params: {kind: reject_named}}");
    trial_must_succeed(&t);
    cr_expect_eq(t.summaries->jobs_rejected, 131);
    cr_expect_str_eq(trial_find(&t, "j000 again")->reason, "by the policy: j000\\x1b");
    cr_expect_str_eq(trial_find(&t, "j099")->reason, "by the policy: j099\\x1b");
    cr_expect_str_eq(trial_find(&t, "j100")->reason,
                     "by the policy, for more reasons than are told apart");
    str_finish(&jobs);
    trial_finish(&t);
}
