/* Jobs whose model has phases, by hand: the plug-in script does as each case says. Model m on a GPU
   of type g, as measured (samples/s, W of one GPU):

       k 1: b 1: 2.5, 80   b 2: 4, 100   b 4: 6, 150   b 8: 8, 200      k 2: b 2: 7, 110   b 4: 10,
   140

   m0 is 2, so with phi 2 eff(4) = 2/3 and eff(8) = 0.4, with phi 14 eff(4) = 8/9 and eff(8) = 8/11.
   Goodput on one GPU is then 2.5, 4, 4, 3.2 with phi 2, and 2.5, 4, 16/3, 64/11 with phi 14; on two
   14/3 and 4, 56/9 and 80/11. Set-up, 3 s and then 5 s, draws 90 W a GPU. Job a has 100 samples: a
   phase until 0.25 ends with 75 left. */
#include "../support/scenario.h"
#include "../support/temp_dir.h"
#include "engine/sim.h"

#include <criterion/criterion.h>
#include <math.h>

TestSuite(phases, .init = temp_dir_enter, .fini = temp_dir_leave);

#define POINT(k, b, rate, watts) \
    "{k: " #k ", batch: " #b ", throughput_samples_s: " #rate ", power_w_per_gpu: " #watts "}"
static const char lookup[] = POINT(1, 1, 2.5, 80) ", " POINT(1, 2, 4, 100) ", " POINT(
    1, 4, 6, 150) ", " POINT(1, 8, 8, 200) ", " POINT(2, 2, 7, 110) ", " POINT(2, 4, 10, 140);

struct explanation {
    const char *name, *phases, *more, *script; /* more: keys of the model */
    double finish_s, energy_j, lost_s, lost_j, batch;
    uint32_t k;
};

static const char *models_of(const char *phases, const char *more) {
    static char models[8192];
    snprintf(
        models, sizeof models,
        "models: [{name: m, m0: 2, phi: 2, batches: [2], start_s: 3, restart_s: 5, phases: [%s], %s gpus: {g: {evidence: assumed, source: by hand, lookup: [%s]}}}]\n",
        phases, more, lookup);
    return models;
}

static void expect_near(double found, double expected, const char *name, const char *what) {
    cr_expect(fabs(found - expected) <= 1e-8 * (1 + fabs(expected)), "%s: %s is %.17g, not %.17g",
              name, what, found, expected);
}

static void run_story(const struct explanation *s) {
    struct trial t;
    trial_run(
        &t,
        &(struct trial_options){.jobs = "job_id,submit_s,model,work_samples\na,0,m,100\n",
                                .models = models_of(s->phases, s->more),
                                .strict = true},
        "name: n\nhorizon: drain\nmodels: models.yaml\n"
        "cluster: {gpu_types: [{name: g, idle_w: 50, ctx_w: 90, tdp_w: 400, memory_gib: 6}], nodes: [{gpu: g, gpus: 2}]}\n"
        "policy: {name: script, params: {actions: \"%s\"}}\n" TRIAL_JOBS,
        s->script);
    cr_assert_eq(t.status, 0, "%s: %s", s->name, t.failure);
    const struct trial_job *job = trial_find(&t, "a");
    cr_expect_leq(fabs((double)job->finish_ns - s->finish_s * 1e9), 1.5,
                  "%s: ends at %.9f s, not %.9f", s->name, (double)job->finish_ns / 1e9,
                  s->finish_s);
    expect_near(job->energy_j, s->energy_j, s->name, "energy_j");
    expect_near(job->lost_s, s->lost_s, s->name, "lost_s");
    expect_near(job->lost_j, s->lost_j, s->name, "lost energy");
    cr_expect_eq(job->batch, s->batch, "%s: batch %g", s->name, job->batch);
    cr_expect_eq(job->k, s->k, "%s: k %u", s->name, job->k);
    trial_finish(&t);
}

#define RUN(stories) \
    for (size_t i = 0; i < sizeof stories / sizeof *stories; i++) \
    run_story(&stories[i])

/* The first phase: set-up 0..3, then 25 samples. */
#define UP "{until: 0.25}, {until: 1, phi: 14, batches: [4, 8]}"

Test(phases, batch_at_a_boundary) {
    static const struct explanation stories[] = {
        /* 25/4 = 6.25 s, then 75/(16/3) = 14.0625 s with b 4, the least above 2 */
        {"up", UP, "", "0 start 0 0", 23.3125, 270 + 625 + 150 * 14.0625, 0, 0, 4, 1},
        /* 25/3.2 = 7.8125 s with b 8, then b 4, the largest below it */
        {"down", "{until: 0.25, batches: [8]}, {until: 1, phi: 14, batches: [1, 2, 4]}", "",
         "0 start 0 0", 3 + 7.8125 + 14.0625, 270 + 200 * 7.8125 + 150 * 14.0625, 0, 0, 4, 1},
        /* allowed in both: b 2 makes 4 samples/s with either phi */
        {"stays", "{until: 0.25}, {until: 1, phi: 14, batches: [1, 2, 4]}", "", "0 start 0 0", 28,
         270 + 2500, 0, 0, 2, 1},
        /* b 8 is known on one GPU only: on two it keeps b 2, with the eff of phi 14 */
        {"kept", "{until: 0.25}, {until: 1, phi: 14, batches: [8]}", "", "0 start 0 1",
         3 + 25 * 3.0 / 14 + 75 * 9.0 / 56, 540 + 220 * (25 * 3.0 / 14 + 75 * 9.0 / 56), 0, 0, 2,
         2},
        /* and stopped after 7 s it waits with b 8 on one GPU, 64/11 samples/s */
        {"kept until it stops", "{until: 0.25}, {until: 1, phi: 14, batches: [8]}", "",
         "0 start 0 1, 10 stop 0, 11 start 0 0", 16 + (75 - (7 - 25 * 3.0 / 14) * 56 / 9) * 11 / 64,
         540 + 220 * 7 + 450 + 200 * (75 - (7 - 25 * 3.0 / 14) * 56 / 9) * 11 / 64, 0, 0, 8, 1},
        /* 1 + b GiB of 6: 8 does not fit, so 1, at 2.5 samples/s */
        {"memory", "{until: 0.25}, {until: 1, phi: 14, batches: [1, 8]}",
         "mem0_gib: 1, mem1_gib: 1,", "0 start 0 0", 3 + 6.25 + 30, 270 + 625 + 80 * 30.0, 0, 0, 1,
         1},
        /* nothing of the phase is known at all: the batches before */
        {"nothing feasible", "{until: 0.25}, {until: 1, phi: 14, batches: [512]}", "",
         "0 start 0 0", 28, 270 + 2500, 0, 0, 2, 1},
        /* two boundaries at which nothing changes; 25/4, 25/(16/3), 25/4 (b 4, phi 2), 25/(64/11)
         */
        {"five phases",
         "{until: 0.25}, {until: 0.5, phi: 14, batches: [4]}, {until: 0.6, batches: [4, 8]}, {until: 0.75, phi: 2, batches: [8, 4]}, {until: 1, phi: 14, batches: [8]}",
         "", "0 start 0 0", 3 + 6.25 + 4.6875 + 6.25 + 4.296875,
         270 + 625 + 150 * (4.6875 + 6.25) + 200 * 4.296875, 0, 0, 8, 1},
    };
    RUN(stories);
}

/* What a boundary is late, up to 1 ns, the next phase has the less to do: over 41 of them that no
   nanosecond meets nothing adds up. b 2 makes 4 samples/s, and b 4 16/3. */
Test(phases, boundaries_between_nanoseconds) {
    enum { PHASES = 41 };
    char phases[80 * PHASES] = "";
    double compute_s = 0, joules = 0, before = 0;
    for (int i = 1; i <= PHASES; i++) {
        char one[80], until[20] = "1";
        if (i < PHASES)
            snprintf(until, sizeof until, "%.12f", i / (double)PHASES);
        snprintf(one, sizeof one, "%s{until: %s, phi: %s}", i > 1 ? ", " : "", until,
                 i % 2 ? "2, batches: [2]" : "14, batches: [4]");
        strcat(phases, one);
        double took_s = 100 * (atof(until) - before) / (i % 2 ? 4 : 16.0 / 3);
        compute_s += took_s;
        joules += took_s * (i % 2 ? 100 : 150);
        before = atof(until);
    }
    run_story(&(struct explanation){.name = "41 phases",
                                    .phases = phases,
                                    .more = "",
                                    .script = "0 start 0 0",
                                    .finish_s = 3 + compute_s,
                                    .energy_j = 270 + joules,
                                    .batch = 2,
                                    .k = 1});
}

#define LAST (150 * 14.0625) /* J of 75 samples with b 4 */

/* The boundary is at 9.25. */
Test(phases, lost_work_takes_the_phase_back) {
    static const struct explanation stories[] = {
        /* all 7.25 s are lost, 1 s of them with b 4; then 5 + 6.25 + 14.0625 from 11 on */
        {"killed", UP, "", "0 start 0 0, 10.25 kill 0, 11 start 0 0", 36.3125,
         270 + 775 + 450 + 625 + LAST, 7.25, 775, 4, 1},
        /* 24 samples are kept; the phase ends 0.25 s after the set-up */
        {"killed after a checkpoint in the first phase", UP, "checkpoint_interval_s: 2,",
         "0 start 0 0, 10.25 kill 0, 11 start 0 0", 30.3125, 270 + 775 + 450 + 25 + LAST, 1.25, 175,
         4, 1},
        /* the second checkpoint is at 6.25 s of computing: the boundary. Configuration 0 is b 4 */
        {"killed after a checkpoint at the boundary", UP, "checkpoint_interval_s: 3.125,",
         "0 start 0 0, 10.25 kill 0, 11 start 0 0", 30.0625, 270 + 775 + 450 + LAST, 1, 150, 4, 1},
        {"killed at the boundary, after a checkpoint", UP, "checkpoint_interval_s: 3.125,",
         "0 start 0 0, 9.25 kill 0, 10 start 0 0", 29.0625, 270 + 625 + 450 + LAST, 0, 0, 4, 1},
        {"killed at the boundary", UP, "", "0 start 0 0, 9.25 kill 0, 10 start 0 0", 35.3125,
         270 + 625 + 450 + 625 + LAST, 6.25, 625, 4, 1},
        /* kept: 75 - 16/3 are left when it starts again at 13, which take 13.0625 s */
        {"stopped", UP, "checkpoint_s: 2,", "0 start 0 0, 10.25 stop 0, 13 start 0 0", 31.0625,
         270 + 775 + 180 + 450 + 150 * 13.0625, 0, 0, 4, 1},
    };
    RUN(stories);
}

/* Configurations of the second phase: (1, 4), (1, 8), (2, 4). */
Test(phases, resized_in_the_second_phase) {
    static const struct explanation stories[] = {
        /* 7 s of checkpoint and set-up on two GPUs, then 69.67 / (80/11) s */
        {"nothing is lost", UP, "checkpoint_s: 2,", "0 start 0 0, 10.25 resize 0 2",
         17.25 + (75 - 16.0 / 3) * 11 / 80, 270 + 775 + 180 * 7 + 280 * (75 - 16.0 / 3) * 11 / 80,
         0, 0, 4, 2},
        /* it asks for (2, 4); with 76 left it is in the first phase, so b 2 for 3/14 s, then b 4 */
        {"work is lost", UP, "checkpoint_interval_s: 2,", "0 start 0 0, 10.25 resize 0 2",
         15.25 + 3.0 / 14 + 10.3125, 270 + 775 + 900 + 220 * 3.0 / 14 + 280 * 10.3125, 1.25, 175, 4,
         2},
        /* the checkpoint would be written at 12.25: both phases of the run are lost */
        {"killed before it is written", UP, "checkpoint_s: 2,",
         "0 start 0 0, 10.25 resize 0 2, 11.25 kill 0, 12 start 0 0", 37.3125,
         270 + 775 + 180 + 450 + 625 + LAST, 7.25, 775, 4, 1},
        /* resized in the first phase: 25 - 1 * 4 samples at 14/3, then 75 at 80/11 */
        {"before the boundary", UP, "", "0 start 0 0, 4 resize 0 1", 9 + 21 * 3.0 / 14 + 10.3125,
         270 + 100 + 900 + 220 * 21 * 3.0 / 14 + 280 * 10.3125, 0, 0, 4, 2},
    };
    RUN(stories);
}

/* At t = 10.25, 1 s behind the boundary: what policies see. Its last checkpoint was at 24 samples.
 */
static void look_at_view(void *context, const struct replication *r) {
    const struct easim_view *view = r->sim->view.v;
    const struct easim_job *job = &r->sim->view.jobs[0];
    const struct easim_config *config = easim_view_config(view, job->config);
    bool *looked = context;
    *looked = true;
    cr_expect(job->phase == 1 && view->phase_changes == 1 && job->rate_s == 9.25);
    cr_expect(config->k == 1 && config->batch == 4 && job->config == job->first_config);
    cr_expect_eq(job->config_count, 3);
    expect_near(job->remaining, 75, "view", "remaining");
    expect_near(easim_job_computing_s(view, job), 7.25, "view", "computing_s");
    expect_near(easim_job_remaining(view, job), 75 - 16.0 / 3, "view", "remaining now");
    expect_near(easim_job_lost_s(view, job, false), 1.25, "view", "lost_s");
    expect_near(easim_job_lost_work(view, job), 1 + 16.0 / 3, "view", "lost work");
    expect_near(job->unsaved_work, 1, "view", "unsaved_work");
    expect_near((double)job->predicted_end_ns, 23.3125e9, "view", "predicted_end_ns");
    expect_near((double)view->running_count, 1, "view", "running_count");
    expect_near((double)easim_view_running(view, 0)->predicted_end_ns, 23.3125e9, "view",
                "running");
    /* T*: 3 + 75 / (80/11), on two GPUs; EDP*: of 3 + 75 / (64/11) s and 90 x 3 + 200 x 12.890625 J
       on one, below 3 + 14.0625 s and 270 + 2109.375 J and 13.3125 s and 540 + 280 x 10.3125 J */
    expect_near(job->time_best_s, 13.3125, "view", "time_best_s");
    cr_expect_eq(job->best_config, job->first_config + 2);
    expect_near(job->edp_best_js,
                fmin(fmin(15.890625 * (270 + 200 * 12.890625), 17.0625 * (270 + 2109.375)),
                     13.3125 * (540 + 280 * 10.3125)),
                "view", "edp_best_js");
    expect_near(easim_predict_resized(view, job, job->first_config + 2, 0).time_s,
                5 + (75 + 1) * 11.0 / 80, "view", "time after a resize");
}

Test(phases, view) {
    struct trial t;
    bool looked = false;
    trial_run(
        &t,
        &(struct trial_options){.jobs = "job_id,submit_s,model,work_samples\na,0,m,100\n",
                                .models = models_of(UP, "checkpoint_interval_s: 2,"),
                                .look = look_at_view,
                                .context = &looked},
        "name: n\nhorizon: 10.25\nmodels: models.yaml\n"
        "cluster: {gpu_types: [{name: g, idle_w: 50, ctx_w: 90, tdp_w: 400}], nodes: [{gpu: g, gpus: 2}]}\n"
        "policy: {name: script, params: {actions: \"0 start 0 0\"}}\n" TRIAL_JOBS);
    trial_must_succeed(&t);
    cr_expect(looked);
    trial_finish(&t);
}

static void look_at_unsaved(void *context, const struct replication *r) {
    *(double *)context = r->sim->view.jobs[0].unsaved_work;
}

/* Without periodic checkpoints a stop loses nothing, of the phase before neither. */
Test(phases, nothing_is_unsaved) {
    struct trial t;
    double unsaved = NAN;
    trial_run(
        &t,
        &(struct trial_options){.jobs = "job_id,submit_s,model,work_samples\na,0,m,100\n",
                                .models = models_of(UP, ""),
                                .look = look_at_unsaved,
                                .context = &unsaved},
        "name: n\nhorizon: 10.25\nmodels: models.yaml\n"
        "cluster: {gpu_types: [{name: g, idle_w: 50, ctx_w: 90, tdp_w: 400}], nodes: [{gpu: g, gpus: 2}]}\n"
        "policy: {name: script, params: {actions: \"0 start 0 0\"}}\n" TRIAL_JOBS);
    trial_must_succeed(&t);
    cr_expect_eq(unsaved, 0);
    trial_finish(&t);
}

/* Side by side both are half as fast: 25 samples at 2/s from 3 to 15.5, where the neighbour is done
   as well and the phase ends; 75 samples at 4/s. */
Test(phases, neighbour_leaves_at_a_boundary) {
    static const char *const phases[] = {
        "{until: 0.25}, {until: 1}", /* equal: nothing else changes */
        "{until: 0.25}, {until: 1, phi: 14, batches: [1, 2, 4]}"};
    for (size_t i = 0; i < 2; i++) {
        struct trial t;
        trial_run(
            &t,
            &(struct trial_options){
                .jobs =
                    "job_id,submit_s,model,work_samples,duration_s,gpus\na,0,m,100,,1\nb,3,,,6.25,1\n",
                .models = models_of(phases[i], "")},
            "name: n\nhorizon: drain\nmodels: models.yaml\npolicy: {name: fcfs}\n"
            "cluster: {interference: {slowdown_per_neighbour: 1}, gpu_types: [{name: g, idle_w: 30, tdp_w: 400}], nodes: [{gpu: g, gpus: 2}]}\n" TRIAL_JOBS);
        trial_must_succeed(&t);
        expect_near((double)trial_find(&t, "b")->finish_ns, 15.5e9, phases[i], "finish of b");
        expect_near((double)trial_find(&t, "a")->finish_ns, 34.25e9, phases[i], "finish of a");
        trial_finish(&t);
    }
}

/* 140 W: b 2 draws 100, b 4 150, an idle GPU 30. A phase is no decision: the cap is exceeded until
   somebody decides, at 12 when b arrives, or to the end. */
Test(phases, above_the_cap) {
    static const struct {
        const char *policy;
        double violation_s;
        uint32_t preemptions;
    } cases[] = {{"fcfs", 14.0625, 0}, {"charon", 12 - 9.25 + 14.0625, 1}};
    for (size_t i = 0; i < 2; i++) {
        struct trial t;
        trial_run(
            &t,
            &(struct trial_options){
                .jobs = "job_id,submit_s,model,work_samples,duration_s,gpus,utilization\n"
                        "a,0,m,100,,1,\nb,12,,,1,1,0\n",
                .models = models_of(UP, "")},
            "name: n\nhorizon: drain\nmodels: models.yaml\n"
            "cluster: {power_cap_w: 140, gpu_types: [{name: g, idle_w: 30, ctx_w: 30, tdp_w: 400}], nodes: [{gpu: g, gpus: 2}]}\n"
            "policy: {name: %s}\n" TRIAL_JOBS,
            cases[i].policy);
        trial_must_succeed(&t);
        cr_expect_eq(trial_find(&t, "a")->preemptions, cases[i].preemptions, "%s", cases[i].policy);
        cr_expect(fabs(t.summaries->cap_violation_s - cases[i].violation_s) < 2e-6, "%s: %.9g s",
                  cases[i].policy, t.summaries->cap_violation_s);
        trial_finish(&t);
    }
}
