/* Utilization over time, by hand. A GPU draws 50 W free, 90 W in set-up and 50 + 350 u W computing.
   Job a takes 20 s with a mean of 0.5 (225 W); of its file it has 0.2 (120 W) for 8 s of work and
   0.9 (365 W) for the other 12: 8 x 120 + 12 x 365 = 5340 J. */
#include "../support/scenario.h"
#include "../support/temp_dir.h"
#include "metrics/metrics.h"

#include <criterion/criterion.h>
#include <math.h>

TestSuite(utilization, .init = temp_dir_enter, .fini = temp_dir_leave);

#define HEAD  "job_id,submit_s,gpus,duration_s,utilization\n"
#define A     HEAD "a,0,1,20,0.5\n"
#define STEPS "job_id,from_s,utilization\na,0,0.2\na,8,0.9\n"
#define GPUS(n) \
    "gpu_types: [{name: g, idle_w: 50, ctx_w: 90, tdp_w: 400}], nodes: [{gpu: g, gpus: " n "}]"
#define SCRIPT(actions) "policy: {name: script, params: {actions: \"" actions "\"}}\n"
/* 1 sample/s at 100 W */
#define MODEL \
    "models: [{name: m, m0: 9, phi: 1, batches: [1], gpus: {g: {evidence: assumed, source: by hand, lookup: [{k: 1, batch: 1, throughput_samples_s: 1, power_w_per_gpu: 100}]}}}]"
#define FCFS "policy: {name: fcfs}\n"

struct course {
    const char *name, *jobs, *steps, *costs, *rest;
    double finish_s, energy_j, lost_j;
};

static void expect_near(double found, double expected, const char *name, const char *what) {
    cr_expect(fabs(found - expected) <= 1e-9 * (1 + fabs(expected)), "%s: %s is %.17g, not %.17g",
              name, what, found, expected);
}

static void run_course(struct trial *t, const struct course *c) {
    temp_file_write_text("use.csv", c->steps);
    trial_run(
        t, &(struct trial_options){.jobs = c->jobs, .strict = true},
        "name: n\nhorizon: drain\n%s"
        "workload: {kind: trace, file: jobs.csv, utilization_file: use.csv, rigid_costs: {%s}}\n",
        c->rest, c->costs);
    trial_must_succeed(t);
}

static const struct course courses[] = {
    {"two steps", A, STEPS, "", FCFS "cluster: {" GPUS("1") "}\n", 20, 5340, 0},
    {"the mean before the first row", A, "job_id,from_s,utilization\na,8,0.9\n", "",
     FCFS "cluster: {" GPUS("1") "}\n", 20, 8 * 225 + 12 * 365, 0},
    {"no mean: the stream's, 1", "job_id,submit_s,gpus,duration_s\na,0,1,20\n",
     "job_id,from_s,utilization\na,8,0.9\n", "", FCFS "cluster: {" GPUS("1") "}\n", 20,
     8 * 400 + 12 * 365, 0},
    {"two GPUs", HEAD "a,0,2,20,0.5\n", STEPS, "", FCFS "cluster: {" GPUS("2") "}\n", 20, 2 * 5340,
     0},
    {"a quarter of a GPU", "gpu_share,job_id,submit_s,gpus,duration_s\n0.25,a,0,1,20\n", STEPS, "",
     FCFS "cluster: {" GPUS("1") "}\n", 20, 5340 / 4.0, 0},
    {"twice as fast", A, STEPS, "",
     FCFS "models: {rigid_speed: {g: 2}, " MODEL "}\ncluster: {" GPUS("1") "}\n", 10, 5340 / 2.0,
     0},
    {"set-up", A, STEPS, "start_s: 3", FCFS "cluster: {" GPUS("1") "}\n", 23, 3 * 90 + 5340, 0},
    {"stopped in the second step", A, STEPS, "",
     SCRIPT("0 start 0 0, 10 stop 0, 15 start 0 0") "cluster: {" GPUS("1") "}\n", 25, 5340, 0},
    {"stopped in the first step", A, STEPS, "",
     SCRIPT("0 start 0 0, 5 stop 0, 6 start 0 0") "cluster: {" GPUS("1") "}\n", 21, 5340, 0},
    {"stopped where a step begins", A, STEPS, "",
     SCRIPT("0 start 0 0, 8 stop 0, 10 start 0 0") "cluster: {" GPUS("1") "}\n", 22, 5340, 0},
    {"checkpoint and restart", A, STEPS, "checkpoint_s: 2, restart_s: 4",
     SCRIPT("0 start 0 0, 10 stop 0, 15 start 0 0") "cluster: {" GPUS("1") "}\n", 29, 5340 + 6 * 90,
     0},
    {"killed: all is lost", A, STEPS, "",
     SCRIPT("0 start 0 0, 10 kill 0, 15 start 0 0") "cluster: {" GPUS("1") "}\n", 35,
     8 * 120 + 2 * 365 + 5340, 8 * 120 + 2 * 365},
    {"killed in the second step, kept in it", A, STEPS, "checkpoint_interval_s: 3",
     SCRIPT("0 start 0 0, 10 kill 0, 15 start 0 0") "cluster: {" GPUS("1") "}\n", 26, 5340 + 365,
     365},
    {"killed in the second step, kept in the first", A, STEPS, "checkpoint_interval_s: 7",
     SCRIPT("0 start 0 0, 10 kill 0, 15 start 0 0") "cluster: {" GPUS("1") "}\n", 28,
     5340 + 120 + 2 * 365, 120 + 2 * 365},
    {"a node fails", A, STEPS, "", FCFS "failures: {file: o.csv}\ncluster: {" GPUS("1") "}\n", 33,
     8 * 120 + 2 * 365 + 5340, 8 * 120 + 2 * 365},
    /* b comes at 4 and takes 3 s; side by side both are half as fast: until 10, when a has done 7
     */
    {"a neighbour leaves before the step", A "b,4,1,3,0\n", STEPS, "",
     FCFS "cluster: {interference: {slowdown_per_neighbour: 1}, " GPUS("2") "}\n", 23,
     11 * 120 + 12 * 365, 0},
    {"a neighbour leaves after the step", A "b,4,1,5,0\n", STEPS, "",
     FCFS "cluster: {interference: {slowdown_per_neighbour: 1}, " GPUS("2") "}\n", 25,
     12 * 120 + 13 * 365, 0},
    {"a neighbour leaves at the step", A "b,4,1,4,0\n", STEPS, "",
     FCFS "cluster: {interference: {slowdown_per_neighbour: 1}, " GPUS("2") "}\n", 24,
     12 * 120 + 12 * 365, 0},
    {"a neighbour comes at the step", A "b,8,1,4,0\n", STEPS, "",
     FCFS "cluster: {interference: {slowdown_per_neighbour: 1}, " GPUS("2") "}\n", 24,
     8 * 120 + 16 * 365, 0},
};

Test(utilization, by_hand) {
    temp_file_write_text("o.csv", "node,start_s,end_s\n0,10,13\n");
    for (size_t i = 0; i < sizeof courses / sizeof *courses; i++) {
        const struct course *c = &courses[i];
        struct trial t;
        run_course(&t, c);
        expect_near((double)trial_find(&t, "a")->finish_ns, c->finish_s * 1e9, c->name, "finish");
        expect_near(trial_find(&t, "a")->energy_j, c->energy_j, c->name, "energy");
        expect_near(trial_find(&t, "a")->lost_j, c->lost_j, c->name, "lost energy");
        trial_finish(&t);
    }
}

/* Power from each instant on; a step is an event and no decision. */
Test(utilization, power_and_events) {
    static const double expected[][2] = {{0, 120}, {8, 365}, {20, 50}};
    struct trial t, mean;
    run_course(&t, &courses[0]);
    cr_assert_eq(t.power.at.count, 3);
    for (size_t i = 0; i < 3; i++) {
        expect_near((double)t.power.at.at[i].time_ns, expected[i][0] * 1e9, "power", "time");
        expect_near((double)t.power.at.at[i].power_nw, expected[i][1] * 1e9, "power", "power");
    }
    run_course(&mean, &(struct course){"mean", A, "job_id,from_s,utilization\na,0,0.5\n", "",
                                       courses[0].rest, 0, 0, 0});
    expect_near(t.summaries->events, mean.summaries->events + 1, "summary", "events");
    expect_near(t.summaries->decisions, mean.summaries->decisions, "summary", "decisions");
    trial_finish(&t);
    trial_finish(&mean);
}

/* A meter of 5 s: the step of 8 s is in its second interval. */
Test(utilization, metered) {
    static const double expected_w[] = {120, (3 * 120 + 2 * 365) / 5.0, 365, 365};
    struct power_means means;
    struct trial t;
    power_means_init(&means, 5000000000);
    temp_file_write_text("use.csv", STEPS);
    trial_run(&t, &(struct trial_options){.jobs = A, .watch = &means.observer},
              "name: n\nhorizon: drain\n" FCFS "cluster: {" GPUS(
                  "1") "}\n"
                       "workload: {kind: trace, file: jobs.csv, utilization_file: use.csv}\n");
    trial_must_succeed(&t);
    cr_assert_eq(power_means_close(&means, &(struct error){0}), 0);
    cr_assert_eq(means.at_nw.count, 4);
    for (size_t i = 0; i < 4; i++)
        expect_near((double)means.at_nw.at[i], expected_w[i] * 1e9, "meter", "power");
    power_means_finish(&means);
    trial_finish(&t);
}

/* charon counts the mean, 225 W, against a cap of 300 W, whatever the job draws: nobody knows that
   beforehand. The meter sees the 365 W of the second step. */
Test(utilization, policies_know_the_mean) {
    struct trial t;
    const struct course c = {
        "cap", A, STEPS, "", "policy: {name: charon}\ncluster: {power_cap_w: 300, " GPUS("1") "}\n",
        20,    0, 0};
    run_course(&t, &c);
    expect_near((double)trial_find(&t, "a")->finish_ns, 20e9, "cap", "finish");
    cr_expect_eq(trial_find(&t, "a")->preemptions, 0);
    expect_near(t.summaries->cap_violation_s, 12, "cap", "time above it");
    expect_near(t.summaries->cap_violation_j, 12 * 65, "cap", "energy above it");
    trial_finish(&t);
}

/* --- the file --- */

static const struct utilization_file *file_of(const struct trial *t) {
    return &((const struct stream *)t->study.source.streams.at)[0].utilization;
}

/* Rows that change nothing are counted by reason, with the line of the first. */
Test(utilization, rows_without_effect) {
    static const char steps[] = "note,utilization,job_id,from_s\n"
                                "x,0.5,a,0\n"     /* the mean: the same */
                                "x,0.2,zoe,0\n"   /* unknown */
                                "x,0.25,a,3\n"    /* a change */
                                "x,0.25,a,7.5\n"  /* the same */
                                "x,1,m,0\n"       /* has a model */
                                "x,0.2,a,20\n"    /* at the end */
                                "x,0.2,zoe,9\n"   /* unknown */
                                "x,0.2,bob,9\n"   /* unknown */
                                "x,0.3,b,0\n"     /* a change */
                                "x,0.2,a,2000\n"; /* behind the end */
    struct trial t;
    temp_file_write_text("use.csv", steps);
    trial_run(&t,
              &(struct trial_options){
                  .jobs = "job_id,submit_s,gpus,duration_s,utilization,model\na,0,1,20,0.5,\n"
                          "b,0,1,4,0.9,\nc,0,1,4,0.9,\nm,0,1,5,,m\n",
                  .models = MODEL "\n"},
              "name: n\nhorizon: drain\nmodels: models.yaml\n" FCFS "cluster: {" GPUS(
                  "4") "}\n"
                       "workload: {kind: trace, file: jobs.csv, utilization_file: use.csv}\n");
    trial_must_succeed(&t);
    const struct utilization_file *u = file_of(&t);
    cr_expect(u->rows == 10 && u->changes == 2 && u->jobs == 2 && u->jobs_without == 1);
    cr_expect(u->same.count == 2 && u->same.first_line == 2);
    cr_expect(u->unknown.count == 3 && u->unknown.first_line == 3);
    cr_expect(u->unknown_jobs == 2);
    cr_expect_str_eq(u->unknown_names, "zoe, bob");
    cr_expect(u->modelled.count == 1 && u->modelled.first_line == 6);
    cr_expect(u->beyond.count == 2 && u->beyond.first_line == 7);
    expect_near(trial_find(&t, "a")->energy_j, 3 * 225 + 17 * 137.5, "a", "energy");
    expect_near(trial_find(&t, "b")->energy_j, 4 * 155, "b", "energy");
    expect_near(trial_find(&t, "c")->energy_j, 4 * 365, "c", "energy");
    expect_near(trial_find(&t, "m")->energy_j, 5 * 100, "m", "energy");
    trial_finish(&t);
}

Test(utilization, file_without_effect) {
    static const char *const files[] = {
        "job_id,from_s,utilization\n",
        "job_id,from_s,utilization\na,0,0.5\na,9,0.5\na,20,1\nb,0,1\n"};
    static const char *const said[] = {
        "workload.utilization_file: of no effect, none of its 0 rows changes anything",
        "workload.utilization_file: of no effect, none of its 4 rows changes anything"};
    for (size_t i = 0; i < 2; i++) {
        struct trial t;
        run_course(&t, &(struct course){"none", A, files[i], "", courses[0].rest, 0, 0, 0});
        cr_assert_eq(t.study.warnings.count, 1);
        cr_expect_str_eq(t.study.warnings.at[0], said[i]);
        expect_near(trial_find(&t, "a")->energy_j, 20 * 225, said[i], "energy");
        trial_finish(&t);
    }
}

/* Copies of a job draw what it draws, and what a slice leaves out is known all the same. */
Test(utilization, of_a_changed_log) {
    struct trial t;
    temp_file_write_text("use.csv", STEPS "b,1,1\n");
    trial_run(
        &t, &(struct trial_options){.jobs = A "b,700,1,20,0.5\n"},
        "name: n\nhorizon: drain\n" FCFS "cluster: {" GPUS(
            "9") "}\n"
                 "workload: {kind: trace, file: jobs.csv, utilization_file: use.csv, slice: {until: 600}, load_scale: 3}\n");
    trial_must_succeed(&t);
    cr_expect_eq(t.job_count, 3);
    cr_expect_eq(file_of(&t)->unknown.count, 0);
    for (size_t i = 0; i < t.job_count; i++)
        expect_near(t.jobs[i].energy_j, 5340, t.jobs[i].id, "energy");
    trial_finish(&t);
}
