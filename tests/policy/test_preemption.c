/* Preemption by hand (semantics 10.2): the plug-in preempt_at takes the GPUs of all running jobs
   away at one time and starts jobs again, in order, after a pause. Job a: 2 GPUs, 100 s of work;
   400 W computing, 90 W in set-up and checkpoint. */
#include "../support/scenario.h"
#include "../support/temp_dir.h"

#include <criterion/criterion.h>
#include <math.h>

TestSuite(preemption, .init = temp_dir_enter, .fini = temp_dir_leave);

struct preemption_case {
    const char *name, *costs, *params;
    double finish_s, exec_s, setup_s, computing_s, lost_s;
    uint32_t preemptions;
};

static void expect_near(double found, double expected, const char *name, const char *what) {
    cr_expect(fabs(found - expected) <= 1e-9 * (1 + fabs(expected)), "%s: %s is %.17g, not %.17g",
              name, what, found, expected);
}

static void run_case(const struct preemption_case *c) {
    struct trial t;
    trial_run(&t,
              &(struct trial_options){.jobs = "job_id,submit_s,gpus,duration_s\na,0,2,100\n",
                                      .strict = true},
              "name: n\nhorizon: drain\npolicy: {name: preempt_at, params: %s}\n" TRIAL_CLUSTER(
                  3) "workload: {kind: trace, file: jobs.csv, rigid_costs: %s}\n",
              c->params, c->costs);
    cr_assert_eq(t.status, 0, "%s: %s", c->name, t.failure);
    const struct trial_job *a = trial_find(&t, "a");
    const struct summary *s = t.summaries;
    double energy_j = 2 * (90 * c->setup_s + 400 * c->computing_s);
    cr_expect_eq(a->start_ns, 0);
    cr_expect_eq(a->finish_ns, llround(c->finish_s * 1e9), "%s: ends at %.9f s, not %.9f", c->name,
                 (double)a->finish_ns / 1e9, c->finish_s);
    cr_expect_eq(a->preemptions, c->preemptions, "%s: %u preemptions", c->name, a->preemptions);
    expect_near(a->exec_s, c->exec_s, c->name, "exec_s");
    expect_near(a->gpu_s, 2 * c->exec_s, c->name, "gpu_s");
    expect_near(a->energy_j, energy_j, c->name, "energy_j");
    expect_near(a->lost_s, c->lost_s, c->name, "lost_s");
    expect_near(a->lost_j, 2 * 400 * c->lost_s, c->name, "lost energy");
    expect_near(trial_cell(&t, "a", "lost_s"), c->lost_s, c->name, "lost_s of jobs.csv");
    expect_near(trial_cell(&t, "a", "edp_js"), energy_j * c->finish_s, c->name, "edp_js");
    expect_near(s->preemptions, c->preemptions, c->name, "preemptions");
    expect_near(s->interruptions_per_job, c->preemptions, c->name, "interruptions");
    expect_near(s->lost_gpu_h * 3600, 2 * c->lost_s, c->name, "lost_gpu_h");
    expect_near(s->energy_lost_kwh * 3.6e6, 2 * 400 * c->lost_s, c->name, "energy_lost_kwh");
    expect_near(s->energy_setup_kwh * 3.6e6, 2 * 90 * c->setup_s, c->name, "energy_setup_kwh");
    expect_near(s->work_done_gpu_h * 3600, 200, c->name, "work done");
    expect_near(s->energy_idle_kwh * 3.6e6, 50 * (3 * c->finish_s - 2 * c->exec_s), c->name,
                "idle energy");
    trial_finish(&t);
}

Test(preemption, one_job) {
    static const struct preemption_case cases[] = {
        /* on demand: set-up 0..3, 20.385 s done at 23.385, checkpoint until 25.385, restarted at
           once (the pause is over): 5 + 79.615 s until 110 */
        {"checkpoint on demand", "{start_s: 3, restart_s: 5, checkpoint_s: 2}",
         "{at: 23.385, pause: 1.5}", 110, 110, 3 + 2 + 5, 100, 0, 1},
        /* the pause ends after the checkpoint: free from 25.385 on; 23.385 + 10 is above 33.385 in
           doubles, so that the timer comes 1 ns later; then 84.615 s */
        {"checkpoint, then a pause", "{start_s: 3, restart_s: 5, checkpoint_s: 2}",
         "{at: 23.385, pause: 10}", 118.000000001, 110, 10, 100, 0, 1},
        /* every 8 s of computing time, free of cost: 16 of the 20.385 s are kept, 4.385 lost; free
           until 24.885; 5
           + 84 s until 113.885; checkpoint_s is not for periodic ones */
        {"periodic", "{start_s: 3, restart_s: 5, checkpoint_s: 2, checkpoint_interval_s: 8}",
         "{at: 23.385, pause: 1.5}", 113.885, 23.385 + 89, 8, 20.385 + 84, 4.385, 1},
        /* 3 + 2 * 8 = 19: just at a checkpoint, nothing is lost: 20 + 5 + 84 */
        {"periodic, at a checkpoint", "{start_s: 3, restart_s: 5, checkpoint_interval_s: 8}",
         "{at: 19, pause: 1}", 109, 19 + 89, 8, 100, 0, 1},
        /* an interval longer than the job: all 20.385 s are lost */
        {"periodic, none yet", "{start_s: 3, restart_s: 5, checkpoint_interval_s: 1h}",
         "{at: 23.385, pause: 1.615}", 130, 23.385 + 105, 8, 120.385, 20.385, 1},
        /* in set-up there is nothing to save: free at 1.5, restarted at 3: 5 + 100 s */
        {"during set-up", "{start_s: 3, restart_s: 5, checkpoint_s: 2}", "{at: 1.5, pause: 1.5}",
         108, 106.5, 6.5, 100, 0, 1},
        {"during set-up, periodic", "{start_s: 3, restart_s: 5, checkpoint_interval_s: 8}",
         "{at: 1.5, pause: 1.5}", 108, 106.5, 6.5, 100, 0, 1},
        /* at the end of the set-up: no work is done yet, but the checkpoint is written; 3 + 2, then
           5 + 100 */
        {"at the end of set-up", "{start_s: 3, restart_s: 5, checkpoint_s: 2}", "{at: 3, pause: 1}",
         110, 110, 10, 100, 0, 1},
        /* nothing costs anything: 23.385 s done, 1.5 s later the other 76.615 */
        {"free of cost", "{}", "{at: 23.385, pause: 1.5}", 101.5, 100, 0, 100, 0, 1},
        /* no time to write one: all 20.385 s are lost and the GPUs free at 23.385; from 24.885 on 5
           + 100 s */
        {"at once", "{start_s: 3, restart_s: 5, checkpoint_s: 2}",
         "{at: 23.385, pause: 1.5, at_once: true}", 129.885, 23.385 + 105, 8, 120.385, 20.385, 1},
        /* periodic checkpoints are there already: as above */
        {"at once, periodic",
         "{start_s: 3, restart_s: 5, checkpoint_s: 2, checkpoint_interval_s: 8}",
         "{at: 23.385, pause: 1.5, at_once: true}", 113.885, 23.385 + 89, 8, 20.385 + 84, 4.385, 1},
        {"at once, during set-up", "{start_s: 3, restart_s: 5, checkpoint_s: 2}",
         "{at: 1.5, pause: 1.5, at_once: true}", 108, 106.5, 6.5, 100, 0, 1},
        /* a checkpoint that takes no time loses nothing, but none at once loses all */
        {"at once, though free of cost", "{}", "{at: 23.385, pause: 1.5, at_once: true}", 124.885,
         123.385, 0, 123.385, 23.385, 1},
        /* ends at the very time: finishes come before timers */
        {"too late", "{start_s: 3, restart_s: 5}", "{at: 103, pause: 1}", 103, 103, 3, 100, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        run_case(&cases[i]);
}

/* A nanosecond at no power is lost all the same. */
Test(preemption, of_a_nanosecond) {
    struct trial t;
    trial_run(
        &t,
        &(struct trial_options){.jobs = "job_id,submit_s,gpus,duration_s\na,0,2,100\n",
                                .strict = true},
        "name: n\nhorizon: drain\n"
        "policy: {name: script, params: {actions: \"0 start 0 0, 1e-9 kill 0, 1 start 0 0\"}}\n"
        "cluster: {gpu_types: [{name: g, idle_w: 0, busy_w: 0, tdp_w: 400}], nodes: [{gpu: g, gpus: 2}]}\n"
        "workload: {kind: trace, file: jobs.csv, utilization: 0}\n");
    trial_must_succeed(&t);
    cr_expect_eq(trial_find(&t, "a")->lost_s, 1e-9);
    cr_expect_eq(trial_find(&t, "a")->lost_j, 0);
    trial_finish(&t);
}

/* A preempted job keeps its place in the queue: a (2 GPUs, until 10 of 30) goes back before b,
   which came at 5, so at 12 a starts again and b waits until 12 + 20 = 32. c (1 GPU) is preempted
   as well and starts again at 12. */
Test(preemption, keeps_its_place) {
    struct trial t;
    trial_run(
        &t,
        &(struct trial_options){
            .jobs = "job_id,submit_s,gpus,duration_s\na,0,2,30\nc,1,1,13.5\nb,5,2,2.385\n",
            .strict = true},
        "name: n\nhorizon: drain\npolicy: {name: preempt_at, params: {at: 10, pause: 2}}\n" TRIAL_CLUSTER(
            3) TRIAL_JOBS);
    trial_must_succeed(&t);
    cr_expect_eq(trial_find(&t, "a")->finish_ns, 32000000000);
    cr_expect_eq(trial_find(&t, "b")->start_ns, 32000000000);
    cr_expect_eq(trial_find(&t, "b")->preemptions, 0);
    cr_expect_eq(trial_find(&t, "c")->finish_ns,
                 16500000000); /* 9 of 13.5 s by 10; 4.5 s from 12 on */
    cr_expect_eq(t.summaries->preemptions, 2);
    cr_expect_float_eq(t.summaries->interruptions_per_job, 2 / 3.0, 1e-12);
    trial_finish(&t);
}

/* GPUs that come free at once are free in the same plan: b, which waits for them, starts at 10; a
   loses 10 s, waits for b's 3 s, and ends after all of its 30. */
Test(preemption, frees_gpus_in_the_same_plan) {
    struct trial t;
    trial_run(
        &t,
        &(struct trial_options){.jobs = "job_id,submit_s,gpus,duration_s\na,0,2,30\nb,5,2,3\n",
                                .strict = true},
        "name: n\nhorizon: drain\npolicy: {name: preempt_at, params: {at: 10, pause: 0, at_once: "
        "true}}\n" TRIAL_CLUSTER(
            3) "workload: {kind: trace, file: jobs.csv, rigid_costs: {checkpoint_s: 4}}\n");
    trial_must_succeed(&t);
    cr_expect_eq(trial_find(&t, "b")->start_ns, 10000000000);
    cr_expect_eq(trial_find(&t, "a")->finish_ns, 43000000000);
    trial_finish(&t);
}

/* A model's own costs, with a horizon in the midst of the checkpoint: 1 sample/s on the only GPU,
   set-up 2 s, preempted at 7, checkpoint until 17, horizon 12: 5 of 50 samples done, held for 12 s,
   2 + 5 s at 90 W and 5 s at 100 W. */
Test(preemption, horizon_in_checkpoint) {
    struct trial t;
    trial_run(
        &t,
        &(struct trial_options){
            .jobs = "job_id,submit_s,model,work_samples\na,0,m,50\n",
            .models =
                "models: [{name: m, m0: 9, phi: 1, batches: [1], start_s: 2, checkpoint_s: 10, gpus: {g: {evidence: assumed, source: by hand, lookup: [{k: 1, batch: 1, throughput_samples_s: 1, power_w_per_gpu: 100}]}}}]\n"},
        "name: n\n"
        "horizon: 12\n"
        "models: models.yaml\n"
        "policy: {name: preempt_at, params: {at: 7, pause: 1}}\n" TRIAL_CLUSTER(1) TRIAL_JOBS);
    trial_must_succeed(&t);
    const struct trial_job *a = trial_find(&t, "a");
    cr_expect_eq(a->state, EASIM_JOB_CHECKPOINTING);
    expect_near(a->exec_s, 12, "checkpoint", "exec_s");
    expect_near(a->energy_j, 7 * 90 + 5 * 100, "checkpoint", "energy_j");
    expect_near(t.summaries->work_done_gpu_h * 3600, 5, "checkpoint", "work done");
    expect_near(t.summaries->work_unfinished_gpu_h * 3600, 45, "checkpoint", "work unfinished");
    expect_near(t.summaries->jobs_unfinished, 1, "checkpoint", "jobs_unfinished");
    expect_near(t.summaries->util_compute, 5 / 12.0, "checkpoint", "util_compute");
    trial_finish(&t);
}

Test(preemption, not_preemptible) {
    struct trial t;
    trial_run(
        &t, &(struct trial_options){.jobs = "job_id,submit_s,gpus,duration_s\na,0,2,100\n"},
        "name: n\nhorizon: drain\npolicy: {name: preempt_at, params: {at: 7, pause: 1}}\n" TRIAL_CLUSTER(
            2) "workload: {kind: trace, file: jobs.csv, preemptible: false}\n");
    trial_must_succeed(&t);
    cr_expect_eq(trial_find(&t, "a")->finish_ns, 100000000000);
    cr_expect_eq(t.refused[REFUSED_NOT_PREEMPTIBLE], 1);
    cr_expect_eq(t.summaries->refused_actions, 1);
    trial_finish(&t);
}

/* Preemptions and losses before the end of the warm-up do not count: a loses 2 s at 10, b (in time
   for the measuring) nothing. */
Test(preemption, before_the_end_of_warmup) {
    struct trial t;
    trial_run(
        &t,
        &(struct trial_options){.jobs =
                                    "job_id,submit_s,gpus,duration_s\na,0,2,30\nb,15,1,2.385\n"},
        "name: n\nhorizon: drain\npolicy: {name: preempt_at, params: {at: 10, pause: 1}}\n" TRIAL_CLUSTER(
            3) "workload: {kind: trace, file: jobs.csv, warmup: 15, rigid_costs: {checkpoint_interval_s: 8}}\n");
    trial_must_succeed(&t);
    cr_expect_eq(trial_find(&t, "a")->finish_ns, 33000000000); /* 11 + 30 - 8 */
    expect_near(trial_find(&t, "a")->lost_s, 2, "warm-up", "lost_s of a");
    expect_near(t.summaries->preemptions, 0, "warm-up", "preemptions");
    expect_near(t.summaries->interruptions_per_job, 0, "warm-up", "interruptions");
    expect_near(t.summaries->lost_gpu_h, 0, "warm-up", "lost_gpu_h");
    expect_near(t.summaries->energy_lost_kwh, 0, "warm-up", "energy_lost_kwh");
    expect_near(t.summaries->jobs_submitted, 1, "warm-up", "jobs_submitted");
    trial_finish(&t);
}
