/* The engine by hand: what happens when, who is rejected, what is metered. Expected figures are
   worked out in the comments. Rigid jobs of the trial cluster draw 400 W computing, 90 W in set-up;
   a free GPU draws 50 W. */
#include "../support/scenario.h"
#include "../support/temp_dir.h"

#include <criterion/criterion.h>
#include <malloc.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

TestSuite(engine, .init = temp_dir_enter, .fini = temp_dir_leave);

static void expect_near(double found, double expected, const char *what) {
    cr_expect(fabs(found - expected) <= 1e-12 + 1e-9 * fabs(expected), "%s: %.17g, not %.17g", what,
              found, expected);
}

static void expect_times(const struct trial *t, const char *id, double start_s, double finish_s) {
    const struct trial_job *job = trial_find(t, id);
    int64_t start_ns = start_s < 0 ? -1 : llround(start_s * 1e9),
            finish_ns = finish_s < 0 ? -1 : llround(finish_s * 1e9);
    cr_expect_eq(job->start_ns, start_ns, "%s starts at %lld ns, not %lld", id,
                 (long long)job->start_ns, (long long)start_ns);
    cr_expect_eq(job->finish_ns, finish_ns, "%s ends at %lld ns, not %lld", id,
                 (long long)job->finish_ns, (long long)finish_ns);
}

#define HEAD "job_id,submit_s,gpus,duration_s,requested_s\n"

/* 3 arrivals and 3 finishes at 3 instants: at 0 (a, b), at 10 (both end, c arrives), at 12.385 (c
 * ends). */
Test(engine, decisions_per_instant) {
    static const struct {
        const char *engine;
        double decisions;
    } cases[] = {{"{}", 3},
                 {"{coalesce: true, equal_time: arrivals_first}", 3},
                 {"{coalesce: false}", 6},
                 {"{coalesce: false, equal_time: arrivals_first}", 6}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trial t;
        trial_run(&t, &(struct trial_options){.jobs = HEAD "a,0,1,10,\nb,0,1,10,\nc,10,2,2.385,\n"},
                  "name: n\nhorizon: drain\nengine: %s\npolicy: {name: fcfs}\n" TRIAL_CLUSTER(2)
                      TRIAL_JOBS,
                  cases[i].engine);
        trial_must_succeed(&t);
        cr_expect_eq(t.summaries->events, 6, "%s: %g events", cases[i].engine, t.summaries->events);
        cr_expect_eq(t.summaries->decisions, cases[i].decisions, "%s: %g decisions",
                     cases[i].engine, t.summaries->decisions);
        expect_times(&t, "c", 10, 12.385);
        trial_finish(&t);
    }
}

/* 2 GPUs: a holds one until 10, b (2 GPUs) waits since 5, c (1 GPU) comes at 10. Who sees what at
   10? all events first: both GPUs free, b is first in the queue, c waits for b one at a time,
   finishes first: the same one at a time, arrivals first: only c fits when it comes, b waits for c;
   unless a was due by its request: then the engine ends it before anybody decides (decision 0009),
   and b is first again */
Test(engine, order_at_one_instant) {
    static const struct {
        const char *engine, *requested;
        bool b_first;
    } cases[] = {{"{coalesce: true}", "20", true},
                 {"{coalesce: true, equal_time: arrivals_first}", "20", true},
                 {"{coalesce: false}", "20", true},
                 {"{coalesce: false, equal_time: arrivals_first}", "20", false},
                 {"{coalesce: false, equal_time: arrivals_first}", "10", true},
                 {"{coalesce: false, equal_time: arrivals_first}", "", true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trial t;
        char jobs[128];
        snprintf(jobs, sizeof jobs, HEAD "a,0,1,10,%s\nb,5,2,4,\nc,10,1,3,\n", cases[i].requested);
        trial_run(
            &t, &(struct trial_options){.jobs = jobs},
            "name: n\nhorizon: drain\nengine: %s\npolicy: {name: fcfs, params: {strict: false}}\n" TRIAL_CLUSTER(
                2) TRIAL_JOBS,
            cases[i].engine);
        trial_must_succeed(&t);
        expect_times(&t, "a", 0, 10);
        expect_times(&t, "b", cases[i].b_first ? 10 : 13, cases[i].b_first ? 14 : 17);
        expect_times(&t, "c", cases[i].b_first ? 14 : 10, cases[i].b_first ? 17 : 13);
        trial_finish(&t);
    }
}

/* Horizon 10: a ends at it, c comes at it and gets a's GPU, d waits, e is too late. a: 4000 J; b: 9
   s * 400 = 3600 J; the GPU of b before it came: 50 J. Work in GPU-s: a 10, b 20 (9 done), c 5,
   d 5. */
Test(engine, horizon) {
    struct trial t;
    trial_run(&t,
              &(struct trial_options){
                  .jobs = HEAD "a,0,1,10,\nb,1,1,20,\nc,10,1,5,\nd,10,1,5,\ne,10.000000001,1,1,\n"},
              "name: n\nhorizon: 10\npolicy: {name: fcfs}\n" TRIAL_CLUSTER(2) TRIAL_JOBS);
    trial_must_succeed(&t);
    const struct summary *s = t.summaries;
    cr_assert_eq(t.job_count, 4, "%zu jobs are listed", t.job_count);
    expect_times(&t, "a", 0, 10);
    expect_times(&t, "b", 1, -1);
    expect_times(&t, "c", 10, -1);
    expect_times(&t, "d", -1, -1);
    cr_expect_eq(trial_find(&t, "c")->state, EASIM_JOB_RUNNING);
    cr_expect_eq(trial_find(&t, "d")->state, EASIM_JOB_WAITING);
    cr_expect_eq(trial_find(&t, "c")->energy_j, 0);
    cr_expect(isnan(trial_cell(&t, "d", "start_s")) && isnan(trial_cell(&t, "b", "finish_s")));
    const double expected[][2] = {{s->sim_s, 10},
                                  {s->jobs_submitted, 4},
                                  {s->jobs_finished, 1},
                                  {s->jobs_unfinished, 3},
                                  {s->energy_kwh, 7650 / 3.6e6},
                                  {s->work_submitted_gpu_h, 40 / 3600.0},
                                  {s->work_done_gpu_h, 19 / 3600.0},
                                  {s->work_unfinished_gpu_h, 21 / 3600.0},
                                  {s->jct_restricted_mean_s, (10 + 9 + 0 + 0) / 4.0},
                                  {s->jct_mean_s, 10},
                                  {s->wait_mean_s, 0}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        cr_expect(fabs(expected[i][0] - expected[i][1]) < 1e-9 * (1e-3 + expected[i][1]),
                  "figure %zu: %g, not %g", i, expected[i][0], expected[i][1]);
    trial_finish(&t);
}

/* A drained run ends with the last finish or rejection; timers beyond it do not count. */
Test(engine, drain_ends) {
    static const struct {
        const char *policy, *jobs;
        double end_s;
    } cases[] = {{"{name: fcfs}", HEAD "a,1,1,2.385,\nb,0,2,1,\n", 3.385},
                 {"{name: fcfs}", HEAD "a,1,1,2.385,\nb,20,3,1,\n", 20},
                 {"{name: preempt_at, params: {at: 1000}}", HEAD "a,1,1,2.385,\n", 3.385},
                 {"{name: wake_later, params: {delay: 5}}", HEAD "a,1,1,2.385,\n", 8.385}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trial t;
        trial_run(&t, &(struct trial_options){.jobs = cases[i].jobs},
                  "name: n\nhorizon: drain\npolicy: %s\n" TRIAL_CLUSTER(2) TRIAL_JOBS,
                  cases[i].policy);
        trial_must_succeed(&t);
        expect_near(t.summaries->sim_s, cases[i].end_s, cases[i].policy);
        trial_finish(&t);
    }
}

static const char small_models[] =
    "models:\n"
    "  - {name: big, m0: 64, phi: 1, batches: [4, 8], mem0_gib: 2, mem1_gib: 2, gpus: {g: {a_s: 1, c_s: 1, gamma: 1,\n"
    "     alpha_s: 0, p0_w: 100, pmax_w: 200, evidence: assumed, source: by hand}}}\n";

/* g: 2 nodes of 2 GPUs with 9.5 GiB (model big needs 2 + 2*4 = 10 GiB at its smallest batch); h: 2
 * GPUs. */
Test(engine, rejections) {
    static const struct {
        const char *id, *reason;
    } expected[] = {{"many", "needs 5 GPUs of one type, the largest allowed type has 4"},
                    {"typed", "needs 3 GPUs of one type, the largest allowed type has 2"},
                    {"memory", "needs at least 10 GiB of GPU memory"},
                    {"unknown", "its model knows no allowed GPU type"},
                    {"range", ""},
                    {"good", ""}};
    struct trial t;
    trial_run(
        &t,
        &(struct trial_options){
            .models = small_models,
            .jobs = "job_id,submit_s,gpus,duration_s,gpu_type,model,work_samples,deadline_s\n"
                    "many,0,5,1,,,,50\n"
                    "typed,1,3,1,h,,,\n"
                    "memory,2,,,,big,10,\n"
                    "unknown,3,,,h,big,10,\n"
                    "range,4,4,1.5,,,,5\n"
                    "good,5,2,2.385,h,,,8\n"},
        "name: n\n"
        "horizon: drain\n"
        "models: models.yaml\n"
        "policy: {name: fcfs}\n"
        "cluster: {gpu_types: [{name: g, idle_w: 50, tdp_w: 400, memory_gib: 9.5}, {name: h, idle_w: 50, tdp_w: 300}], nodes: [{count: 2, gpu: g, gpus: 2}, {gpu: h, gpus: 2}]}\n" TRIAL_JOBS);
    trial_must_succeed(&t);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const struct trial_job *job = trial_find(&t, expected[i].id);
        cr_expect_str_eq(job->reason, expected[i].reason, "%s: %s", expected[i].id, job->reason);
        cr_expect_eq(job->state, expected[i].reason[0] ? EASIM_JOB_REJECTED : EASIM_JOB_FINISHED);
    }
    expect_times(&t, "range", 4, 5.5);
    cr_expect_eq(trial_find(&t, "range")->nodes, 2);
    cr_expect_eq(t.summaries->jobs_rejected, 4);
    cr_expect_eq(t.summaries->jobs_unfinished, 0);
    /* 3 deadlines are due: many was rejected (missed), range ended at 5.5 > 5 (missed), good
     * at 7.385 <= 8 */
    cr_expect_eq(t.summaries->deadline_jobs, 3);
    cr_expect_eq(t.summaries->deadline_missed, 2);
    expect_near(t.summaries->lateness_p50_s, 0.5, "lateness");
    trial_finish(&t);
}

/* Also with a horizon: an empty event set with waiting jobs means that the policy is stuck. */
Test(engine, stuck_policy) {
    static const char *const horizons[] = {"drain", "100"};
    for (int i = 0; i < 2; i++) {
        struct trial t;
        trial_run(&t, &(struct trial_options){.jobs = HEAD "a,1,1,2,\nb,2.385,1,2,\n"},
                  "name: n\nhorizon: %s\npolicy: {name: start_none}\n" TRIAL_CLUSTER(2) TRIAL_JOBS,
                  horizons[i]);
        cr_expect_eq(t.status, ERROR_RUN);
        cr_expect(strstr(t.failure, "policy start_none leaves 2 jobs waiting for ever") &&
                      strstr(t.failure, "2 of 2 GPUs are free") && strstr(t.failure, "is job a") &&
                      strstr(t.failure, "2.385"),
                  "%s", t.failure);
        cr_expect_eq(t.count, 0);
        trial_finish(&t);
    }
}

/* Each arrival asks for a timer 2.5 s later, and every timer starts all that waits: a at 3.5 and,
   since b came at 3.5 itself (arrivals come before timers), b too. */
Test(engine, timers) {
    struct trial t;
    trial_run(
        &t,
        &(struct trial_options){.jobs = HEAD "a,1,1,2,\nb,3.5,1,2,\nc,3.6,1,1.5,\n",
                                .strict = true},
        "name: n\nhorizon: drain\npolicy: {name: wake_later, params: {delay: 2.5}}\n" TRIAL_CLUSTER(
            2) TRIAL_JOBS);
    trial_must_succeed(&t);
    expect_times(&t, "a", 3.5, 5.5);
    expect_times(&t, "b", 3.5, 5.5);
    expect_times(&t, "c", 6, 7.5); /* by the timer of b, not its own at 6.1 */
    trial_finish(&t);
}

/* Of a plug-in that asks for the same instants again, or takes them back: the timers that come, and
   when; the one job ends at 3. */
Test(engine, wake_ups_are_a_set) {
    static const struct {
        const char *params;
        uint64_t timers;
        const char *names[2];
    } cases[] = {{"{kind: equal}", 2, {"5", "7"}}, {"{kind: clear}", 2, {"5", "9"}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trial t;
        trial_run(&t, &(struct trial_options){.jobs = HEAD "a,0,1,3,\n", .strict = true},
                  "name: n\nhorizon: 40\npolicy: {name: wakes, params: %s}\n" TRIAL_CLUSTER(1)
                      TRIAL_JOBS,
                  cases[i].params);
        trial_must_succeed(&t);
        const struct tally_entry *timers = t.counted.entries.at;
        cr_assert_eq(t.counted.entries.count, 1);
        cr_expect_eq(timers->count, cases[i].timers, "%s: %llu", cases[i].params,
                     (unsigned long long)timers->count);
        cr_expect(timers->named == 2 && strcmp(timers->names[0], cases[i].names[0]) == 0 &&
                  strcmp(timers->names[1], cases[i].names[1]) == 0);
        cr_expect_eq(t.summaries->events, 4); /* a comes and ends */
        trial_finish(&t);
    }
}

/* Rounds of 60 s are the host's: they go on when a policy takes its wake-ups back, also between
   them, when a has written its checkpoint at 124 and b starts; a has 30 s left. */
Test(engine, rounds_outlive_wake_ups) {
    struct trial t;
    trial_run(&t, &(struct trial_options){.jobs = HEAD "a,1,1,90,\nb,61,1,9,\n", .strict = true},
              "name: n\nhorizon: drain\npolicy: {name: wakes_list}\n" TRIAL_CLUSTER(
                  1) "workload: {kind: trace, file: jobs.csv, rigid_costs: {checkpoint_s: 4}}\n");
    trial_must_succeed(&t);
    expect_times(&t, "a", 60, 210);
    expect_times(&t, "b", 124, 133);
    trial_finish(&t);
}

/* A wake-up every microsecond: the run would go on for ever. The first decision is that of the
   arrival; the millionth wake-up is 0.999999 s after the first, and what rounding up to a
   nanosecond adds. One in 1.0009 ms is 1,000.9 s. */
Test(engine, wake_ups_without_end) {
    static const struct {
        const char *params;
        int status;
    } cases[] = {{"{kind: endless, step: 0.000001}", ERROR_RUN},
                 {"{kind: endless, step: 0.0010009}", 0}};
    const size_t count = getenv("EASIM_TESTS") ? 1 : 2; /* the short form */
    for (size_t i = 0; i < count; i++) {
        struct trial t;
        trial_run(&t, &(struct trial_options){.jobs = HEAD "a,0,1,1002,\n", .unchecked = true},
                  "name: n\nhorizon: 1002\npolicy: {name: wakes, params: %s}\n" TRIAL_CLUSTER(1)
                      TRIAL_JOBS,
                  cases[i].params);
        cr_expect_eq(t.status, cases[i].status, "%s: %s", cases[i].params, t.failure);
        if (cases[i].status < 0)
            cr_expect(strstr(t.failure, "policy wakes: only wake-ups have caused the last 1000000 "
                                        "decisions, within 1000 s: expected fewer (at t = 1.00"),
                      "%s", t.failure);
        trial_finish(&t);
    }
}

/* One GPU, three jobs of length 0 at one instant: each starts and ends at 1, one decision after the
   other. With a set-up they take its time. */
Test(engine, zero_length_jobs) {
    struct trial t;
    const char *jobs = HEAD "a,1,1,0,\nb,1,1,0,\nc,1,1,0,\nd,1,1,2.385,\n";
    trial_run(&t, &(struct trial_options){.jobs = jobs},
              "name: n\nhorizon: drain\npolicy: {name: pollux}\n" TRIAL_CLUSTER(1) TRIAL_JOBS);
    trial_must_succeed(&t);
    expect_times(&t, "a", 1, 1);
    expect_times(&t, "b", 1, 1);
    expect_times(&t, "c", 1, 1);
    expect_times(&t, "d", 1, 3.385);
    cr_expect_eq(trial_find(&t, "a")->energy_j, 0);
    cr_expect_eq(trial_find(&t, "a")->nodes, 1);
    expect_near(t.summaries->bsld_mean, 1, "bounded slowdown");
    trial_finish(&t);
    trial_run(&t, &(struct trial_options){.jobs = jobs},
              "name: n\nhorizon: drain\npolicy: {name: zeus}\n" TRIAL_CLUSTER(
                  1) "workload: {kind: trace, file: jobs.csv, rigid_costs: {start_s: 0.75}}\n");
    trial_must_succeed(&t);
    expect_times(&t, "a", 1, 1.75);
    expect_times(&t, "c", 2.5, 3.25);
    expect_times(&t, "d", 3.25, 6.385);
    expect_near(trial_find(&t, "c")->energy_j, 0.75 * 90, "energy of c");
    trial_finish(&t);
}

#define TWO_NODES(cap) \
    "cluster: {gpu_types: [{name: g, idle_w: 50, ctx_w: 90, tdp_w: 400}], pue: 1.5, " cap \
    "nodes: [{count: 2, gpu: g, gpus: 2, base_w: 100, cpu_idle_w: 20, ram_w: 7.5, network_w: 1, other_w: 0.5, cpu_w_per_busy_gpu: 3}]}\n"

static void expect_power(const struct trial *t, size_t row, double time_s, double power_w,
                         uint32_t allocated) {
    const struct power_row *r = &t->power.at.at[row];
    cr_expect(r->time_ns == llround(time_s * 1e9) && r->power_nw == llround(power_w * 1e9) &&
                  r->allocated == allocated,
              "row %zu: %g W, %u GPUs at %lld ns", row, (double)r->power_nw / 1e9, r->allocated,
              (long long)r->time_ns);
}

/* 2 nodes of 2 GPUs, 129 W each and 3 W for every busy GPU; one job of 3 GPUs, set-up 4 s, 10 s,
   until 20: base  2 * 129 * 20 + 3 * 3 * 14 = 5286 J      idle  4 * 50 * 20 - 3 * 50 * 14 = 1900 J
     job   3 * (90 * 4 + 400 * 10) = 13080 J       of it set-up 1080 J
     power 258 + 9 + 270 + 50 = 587 W, then 258 + 9 + 1200 + 50 = 1517 W, then 258 + 200 = 458 W
   With a cap of 1000 W: 517 W over it for 10 s. Price and CO2 are for 1.5 times the energy. */
Test(engine, energy_by_part) {
    struct trial t;
    trial_run(
        &t, &(struct trial_options){.jobs = HEAD "a,0,3,10,\n"},
        "name: n\n"
        "horizon: 20\n"
        "policy: {name: fcfs}\n"
        "carbon_g_per_kwh: 300\n"
        "price_per_mwh: -80\n"
        "wue_l_per_kwh: 1.8\n" TWO_NODES(
            "power_cap_w: 1000, ") "workload: {kind: trace, file: jobs.csv, rigid_costs: {start_s: 4}}\n");
    trial_must_succeed(&t);
    const struct summary *s = t.summaries;
    expect_times(&t, "a", 0, 14);
    expect_near(s->energy_base_kwh * 3.6e6, 5286, "base");
    expect_near(s->energy_idle_kwh * 3.6e6, 1900, "idle");
    expect_near(s->energy_job_kwh * 3.6e6, 13080, "jobs");
    expect_near(s->energy_setup_kwh * 3.6e6, 1080, "set-up");
    expect_near(s->energy_kwh * 3.6e6, 20266, "all");
    expect_near(s->energy_kwh, s->energy_job_kwh + s->energy_idle_kwh + s->energy_base_kwh, "sum");
    expect_near(trial_cell(&t, "a", "energy_j"), 13080, "energy_j");
    expect_near(trial_cell(&t, "a", "nodes"), 2, "nodes");
    expect_near(s->power_mean_w, 20266 / 20.0, "mean power");
    expect_near(s->power_max_w, 1517, "peak power");
    expect_near(s->util_alloc, 42 / 80.0, "util_alloc");
    expect_near(s->util_compute, 30 / 80.0, "util_compute");
    expect_near(s->setup_gpu_h, 12 / 3600.0, "setup_gpu_h");
    expect_near(s->cap_violation_s, 10, "cap_violation_s");
    expect_near(s->cap_violation_j, 5170, "cap_violation_j");
    expect_near(s->co2_kg, 20266 / 3.6e6 * 1.5 * 0.3, "co2_kg");
    expect_near(s->cost, 20266 / 3.6e6 * 1.5 * -0.08, "cost");
    expect_near(s->water_l, 20266 / 3.6e6 * 1.8, "water_l");
    cr_assert_eq(t.power.at.count, 3);
    expect_power(&t, 0, 0, 587, 3);
    expect_power(&t, 1, 4, 1517, 3);
    expect_power(&t, 2, 14, 458, 0);
    trial_finish(&t);
}

/* The same from 5 on: base 258 * 15 + 9 * 9 = 3951 J, idle 4 * 50 * 15 - 3 * 50 * 9 = 1650 J, a 3 *
   400 * 9 = 10800 J of its 30 GPU-s of work 27. Of the jobs only b counts (it came at 5 itself): it
   waits for a until 14 and takes 2 s. It adds 4 * 400 * 2 - 4 * 50 * 2 J and 4 * 3 * 2 J, and 8
   GPU-s. */
Test(engine, warmup) {
    struct trial t;
    trial_run(&t, &(struct trial_options){.jobs = HEAD "a,0,3,10,\nb,5,4,2,\n"},
              "name: n\nhorizon: 20\npolicy: {name: fcfs}\n" TWO_NODES(
                  "") "workload: {kind: trace, file: jobs.csv, warmup: 5s}\n");
    trial_must_succeed(&t);
    const struct summary *s = t.summaries;
    expect_times(&t, "a", 0, 10);
    expect_times(&t, "b", 10, 12);
    expect_near(s->sim_s, 15, "sim_s");
    expect_near(s->jobs_submitted, 1, "jobs_submitted");
    expect_near(s->jobs_finished, 1, "jobs_finished");
    expect_near(s->wait_mean_s, 5, "wait");
    expect_near(s->makespan_s, 7, "makespan"); /* of the measured jobs: 12 - 5 */
    /* without set-up a computes from 0 to 10: 5 s of the measured time */
    expect_near(s->energy_base_kwh * 3.6e6, 258 * 15 + 9 * 5 + 12 * 2, "base");
    expect_near(s->energy_idle_kwh * 3.6e6, 50 * (4 * 15 - 3 * 5 - 4 * 2), "idle");
    expect_near(s->energy_job_kwh * 3.6e6, 400 * (3 * 5 + 4 * 2), "jobs");
    expect_near(s->work_done_gpu_h * 3600, 3 * 5 + 4 * 2, "work done");
    expect_near(s->frag_gpu_h * 3600, 1 * 5, "free while b waits"); /* one GPU, 5..10 */
    trial_finish(&t);
}

/* Of the warm-up and still there after it: a ends last, at 30, but makespan, first submit to last
   finish, is that of the jobs counted: b, 5 to 9. */
Test(engine, makespan_of_the_measured) {
    struct trial t;
    trial_run(&t, &(struct trial_options){.jobs = HEAD "a,0,3,30,\nb,5,1,4,\n"},
              "name: n\nhorizon: drain\npolicy: {name: fcfs}\n" TWO_NODES(
                  "") "workload: {kind: trace, file: jobs.csv, warmup: 5s}\n");
    trial_must_succeed(&t);
    expect_times(&t, "a", 0, 30);
    expect_times(&t, "b", 5, 9);
    expect_near(t.summaries->makespan_s, 4, "makespan");
    trial_finish(&t);
}

/* --- two simulations at once --- */

static void *execute(void *trial) {
    trial_execute(trial);
    return NULL;
}

static void load_seed_study(struct trial *t, const struct trial_options *options, int seed) {
    char yaml[2048];
    snprintf(
        yaml, sizeof yaml,
        "name: n\n"
        "horizon: 4h\n"
        "seed: %d\n"
        "replications: 3\n"
        "models: ${EASIM_SOURCE}/configs/models/eas-sim.yaml\n"
        "cluster: {gpu_types: [{name: a100, idle_w: 60, ctx_w: 98, tdp_w: 400, memory_gib: 80}, {name: h100, idle_w: 70, ctx_w: 110, tdp_w: 700, memory_gib: 80}], nodes: [{count: 2, gpu: a100, gpus: 4}, {gpu: h100, gpus: 8}]}\n"
        "workload: {kind: poisson, rate_per_s: 0.01, sizes: {law: lognormal, mean: 1h, cv: 1.5}, users: 3, deadlines: {share: 0.3, slack: [1.5, 6]}}\n"
        "policy: {name: fcfs}\n",
        seed);
    trial_load(t, options, yaml);
    trial_must_succeed(t);
}

/* In the middle of each other's runs, on two threads, two simulations come out as they do alone. */
Test(engine, interleaved) {
    static const struct {
        const char *policy;
        int seed;
    } runs[2] = {{"zeus", 1}, {"pollux", 2385}};
    struct trial alone[2], together[2];
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        struct trial_options *options = &(struct trial_options){.policy = runs[i].policy};
        load_seed_study(&alone[i], options, runs[i].seed);
        trial_execute(&alone[i]);
        trial_must_succeed(&alone[i]);
    }
    struct trial_options options[2] = {{.policy = runs[0].policy}, {.policy = runs[1].policy}};
    for (int i = 0; i < 2; i++)
        load_seed_study(&together[i], &options[i], runs[i].seed);
    for (int i = 0; i < 2; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, execute, &together[i]), 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 2; i++) {
        trial_must_succeed(&together[i]);
        cr_assert(together[i].job_count > 50);
        cr_assert_str_eq(together[i].summary_csv.text, alone[i].summary_csv.text);
        cr_assert_str_eq(together[i].jobs_csv.text, alone[i].jobs_csv.text);
        trial_finish(&together[i]);
        trial_finish(&alone[i]);
    }
}

/* 3000 jobs, one after the other: 3000 arrivals and 3000 ends. Who watches the run learns of its
   events all the time, in blocks of at most 1024: what it counts is never further than that from
   the truth. */
Test(engine, watchers_learn_of_events) {
    struct str jobs = {0};
    str_addf(&jobs, "job_id,submit_s,gpus,duration_s\n");
    for (int i = 0; i < 3000; i++)
        str_addf(&jobs, "j%d,%d,1,1\n", i, 2 * i);
    struct trial t;
    trial_run(&t, &(struct trial_options){.jobs = jobs.text, .unchecked = true},
              "name: n\nhorizon: drain\npolicy: {name: fcfs}\n" TRIAL_CLUSTER(1) TRIAL_JOBS);
    trial_must_succeed(&t);
    cr_expect_eq(t.summaries->events, 6000);
    atomic_ulong events = 0;
    struct replicate_result result = {0};
    struct error error = {0};
    cr_assert_eq(replicate_run(&t.study, &(struct replicate_options){.events = &events},
                               &replicate_summaries_only, &result, &error),
                 0, "%s", error.text);
    cr_expect(labs((long)atomic_load(&events) - 6000) <= 1024, "%lu events", atomic_load(&events));
    replicate_result_finish(&result);
    trial_finish(&t);
    str_finish(&jobs);
}

#define IS_ALIGNED(array, type) ((uintptr_t)(array) % _Alignof(struct type) == 0)

static void look_at_places(void *context, const struct replication *replication) {
    const struct easim_view *v = view_shown(&replication->sim->view, AT_VIEW);
    bool *aligned = context;
    *aligned = IS_ALIGNED(v, easim_view) && IS_ALIGNED(v->gpu_types, easim_gpu_type) &&
               IS_ALIGNED(v->nodes, easim_node) && IS_ALIGNED(v->users, easim_user) &&
               IS_ALIGNED(v->configs, easim_config) && IS_ALIGNED(v->jobs, easim_job) &&
               IS_ALIGNED(v->running, easim_running) && IS_ALIGNED(v->events, easim_event);
}

/* What policies see lies in one region, each array where its type may lie, checked or not; 1
 * GPU type, 1 node, 3 jobs make odd sizes. */
Test(engine, aligned_view) {
    for (int checked = 0; checked < 2; checked++) {
        bool aligned = false;
        struct trial t;
        trial_run(&t,
                  &(struct trial_options){
                      .jobs = "job_id,submit_s,gpus,duration_s\na,0,1,1\nb,0,1,1\nc,0,1,1\n",
                      .unchecked = !checked,
                      .look = look_at_places,
                      .context = &aligned},
                  "name: n\nhorizon: drain\npolicy: {name: fcfs}\n" TRIAL_CLUSTER(1) TRIAL_JOBS);
        trial_must_succeed(&t);
        cr_expect(aligned);
        trial_finish(&t);
    }
}

/* Questions about a job that is none have one answer, also where nothing lies between the jobs and
   those that run: there a job with a thousandth of a GPU is, as a job, one that waits. The plug-in
   fails the run if it gets another one. */
Test(engine, questions_about_no_job) {
    struct trial t;
    struct trial_options options = {.jobs =
                                        "job_id,submit_s,gpus,duration_s,gpu_share\n"
                                        "a,0,1,3,0.001\nb,0,1,3,0.001\nc,1,1,3,0.001\nd,1,1,3,\n"
                                        "e,1,1,3,\nf,2,1,3,\ng,2,1,3,\nh,2,1,3,\n",
                                    .unchecked = true};
    trial_run(
        &t, &options,
        "name: n\nhorizon: drain\npolicy: {name: misuse, params: {kind: no_such_job}}\n" TRIAL_CLUSTER(
            4) TRIAL_JOBS);
    trial_must_succeed(&t);
    cr_expect_eq(t.summaries->jobs_finished, 8);
    trial_finish(&t);
}

/* The loader has placed the replicas that every service must have on the empty cluster; where they
   then are more, here of one GPU each on a node of two, the run says which one finds no place. */
Test(engine, replica_without_a_place) {
    struct trial t;
    trial_load(
        &t,
        &(struct trial_options){
            .models =
                "models: [{name: m, unit: token, prompt: {included: true}, serving: [{gpu: g, k: 1, evidence: assumed, source: by hand, points: [{limit: 64, n: 10, per_s: 1000, power_w: 400, itl_ms: {p50: 5, p90: 8, p95: 9, p99: 10}}, {limit: 128, n: 30, per_s: 2000, power_w: 400, itl_ms: {p50: 9, p90: 15, p95: 18, p99: 20}}]}]}]\n"},
        "name: n\nhorizon: 50\nmodels: models.yaml\npolicy: {name: fcfs}\n" TRIAL_CLUSTER(
            2) "workload: {streams: [{kind: service, name: chat, model: m, demand: {tokens_per_s: 1000}, slo: "
               "{itl_ms: 60, wait_s: 100}, replicas: {min: 2, max: 9}}]}\n");
    trial_must_succeed(&t);
    ((struct service *)t.study.source.services.at)->replicas.min = 9;
    trial_execute(&t);
    cr_expect_eq(t.status, ERROR_RUN);
    cr_expect_str_eq(t.failure, "service chat: replica 3 of its least 9 does not fit (at t = 0 s)");
    trial_finish(&t);
}

struct given_back {
    const char *first, *last; /* names that the view has of these jobs */
    size_t book_bytes;
};

static void look_at_blocks(void *context, const struct replication *replication) {
    const struct view *view = &replication->sim->view;
    *(struct given_back *)context = (struct given_back){
        view->jobs[0].id, view->jobs[view->v->job_count - 1].id, malloc_usable_size(view->over)};
}

/* Pages of the view with 512 jobs that are over are given back: they are as new. The last 88 of
   1,112 jobs do not fill theirs. The book of it has a number of 4 bytes for 512 jobs. A view of
   under 256 KiB is not on pages of its own. */
Test(engine, memory_of_jobs_that_are_over) {
    struct given_back seen = {.book_bytes = 0};
    struct trial t;
    trial_run(
        &t, &(struct trial_options){.unchecked = true, .look = look_at_blocks, .context = &seen},
        "name: n\nhorizon: drain\npolicy: {name: fcfs}\n" TRIAL_CLUSTER(
            1) "workload: {kind: periodic, period: 1s, until: {jobs: 1112}, sizes: {law: constant, mean: 1s}, rigid: {k: 1}}\n");
    trial_must_succeed(&t);
    cr_expect_null(seen.first);
    cr_expect_not_null(seen.last);
    cr_expect(seen.book_bytes >= 8 && seen.book_bytes <= 64, "%zu bytes", seen.book_bytes);
    trial_finish(&t);
}
