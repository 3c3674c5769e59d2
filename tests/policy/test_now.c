/* What a policy sees of the present: energy since its last decision, jobs that write checkpoints
   and until when, work left and GPU time attained up to now; and its memory of each job. Model m
   makes 1 sample/s on one GPU and 1.6 on two, of 100 W each; start 3 s, restart 5 s, checkpoint
   2 s; a GPU in set-up or checkpoint draws 90 W, a free one 50 W, 4 GPUs. */
#include "../support/scenario.h"
#include "../support/temp_dir.h"
#include "base/units.h"
#include "engine/actions.h"

#include <criterion/criterion.h>
#include <math.h>

TestSuite(now, .init = temp_dir_enter, .fini = temp_dir_leave);

static const char models[] =
    "models: [{name: m, m0: 9, phi: 1, batches: [1], start_s: 3, restart_s: 5, checkpoint_s: 2, "
    "gpus: {g: {evidence: assumed, source: by hand, lookup: "
    "[{k: 1, batch: 1, throughput_samples_s: 1, power_w_per_gpu: 100}, "
    "{k: 2, batch: 1, throughput_samples_s: 1.6, power_w_per_gpu: 100}]}}}]\n";

/* At the end of an instant. */
struct instant {
    double now_s, energy_j;
    uint64_t decisions;
    uint32_t count; /* of checkpoints */
    struct easim_checkpointing first, second;
    double remaining[2], predicted[2], held_gpu_s[2];
    double speed; /* of job 0, against prediction */
};

struct eyes {
    struct observer observer;
    struct instant seen[64];
    size_t count;
};

/* The host functions only look here. */
static void look(void *context, const struct sim *sim) {
    struct eyes *eyes = context;
    struct easim_plan plan = {.sim = (struct sim *)(uintptr_t)sim};
    struct easim_pass pass;
    actions_pass(&plan, &pass);
    struct instant *i = &eyes->seen[eyes->count++];
    cr_assert(eyes->count < 64);
    *i = (struct instant){.now_s = pass.view->now_s,
                          .energy_j = pass.view->energy_j,
                          .decisions = sim->decision_total,
                          .count = pass.view->checkpointing_count,
                          .speed = sim->progress ? sim->progress[0].noise : 1};
    if (i->count > 0)
        i->first = *easim_view_checkpointing(pass.view, 0);
    if (i->count > 1)
        i->second = *easim_view_checkpointing(pass.view, 1);
    for (uint32_t j = 0; j < 2; j++) {
        const struct easim_job *job = easim_view_job(pass.view, j);
        i->remaining[j] = pass.host->remaining(&plan, j);
        i->predicted[j] = job ? easim_job_remaining(pass.view, job) : NAN;
        i->held_gpu_s[j] = job ? easim_job_held_gpu_s(pass.view, job) : NAN;
    }
    cr_assert(isnan(pass.host->remaining(&plan, pass.view->job_count)));
}

static void run_script(struct eyes *eyes, const char *jobs, const char *more, const char *script) {
    struct trial t;
    *eyes = (struct eyes){.observer = {.instant = look}};
    eyes->observer.context = eyes;
    trial_run(
        &t,
        &(struct trial_options){
            .jobs = jobs, .models = models, .strict = true, .watch = &eyes->observer},
        "name: n\nhorizon: drain\nmodels: models.yaml\n%s"
        "cluster: {gpu_types: [{name: g, idle_w: 50, ctx_w: 90, tdp_w: 100}], nodes: [{gpu: g, gpus: 4}]}\n"
        "policy: {name: script, params: {actions: \"%s\"}}\n" TRIAL_JOBS,
        more, script);
    trial_must_succeed(&t);
    trial_finish(&t);
}

static const struct instant *at(const struct eyes *eyes, double time_s) {
    for (size_t i = eyes->count; i-- > 0;)
        if (fabs(eyes->seen[i].now_s - time_s) < 1e-9)
            return &eyes->seen[i];
    cr_assert_fail("nothing at %g s", time_s);
    return NULL;
}

/* a runs on one GPU from 0, is stopped at 20 and started on two at 30. */
Test(now, energy_since_the_last_decision) {
    struct eyes eyes;
    run_script(&eyes, "job_id,submit_s,model,work_samples\na,0,m,100\n", "",
               "0 start 0 0, 20 stop 0, 30 start 0 1");
    cr_expect_eq(at(&eyes, 0)->energy_j, 0);
    /* 3 s of set-up, 17 of computing, three free GPUs */
    cr_expect_float_eq(at(&eyes, 20)->energy_j, 3 * 90 + 17 * 100 + 20 * 150, 1e-9);
    /* the checkpoint is written until 22; then all are free */
    cr_expect_float_eq(at(&eyes, 22)->energy_j, 2 * (90 + 150), 1e-9);
    cr_expect_float_eq(at(&eyes, 30)->energy_j, 8 * 200, 1e-9);
    /* 83 samples at 1.6 a second behind 5 s of set-up: 56.875 s */
    cr_expect_float_eq(at(&eyes, 86.875)->energy_j, 5 * 180 + 51.875 * 200 + 56.875 * 100, 1e-6);
}

/* a on one GPU from 0, b on two from 1: stopped at 20 and 20.5; c is in the way of nobody. The list
   has a first, and when a has left it b alone. */
Test(now, checkpoints_and_their_ends) {
    struct eyes eyes;
    run_script(&eyes, "job_id,submit_s,model,work_samples\na,0,m,100\nb,1,m,100\n", "",
               "0 start 0 0, 1 start 1 1, 20 stop 0, 20.5 stop 1, 30 start 0 0, 30 start 1 0, "
               "40 kill 0, 50 start 0 0");
    cr_expect_eq(at(&eyes, 1)->count, 0);
    const struct instant *one = at(&eyes, 20), *two = at(&eyes, 20.5), *last = at(&eyes, 22);
    cr_expect_eq(one->count, 1);
    cr_expect(one->first.job == 0 && one->first.k == 1 && one->first.gpu_type == 0 &&
              one->first.milli == 0 && one->first.end_ns == units_ns(22));
    cr_expect_eq(two->count, 2);
    cr_expect(two->first.job == 0 && two->second.job == 1 && two->second.k == 2 &&
              two->second.end_ns == units_ns(22.5));
    cr_expect(last->count == 1 && last->first.job == 1 && last->first.end_ns == units_ns(22.5));
    cr_expect_eq(at(&eyes, 22.5)->count, 0);
    cr_expect_eq(at(&eyes, 40)->count, 0); /* at once: nothing is written */
    /* attained: of a 20 s, then 2 s of checkpoint, on one GPU; of b on two from 1 to 22.5 */
    cr_expect_float_eq(one->held_gpu_s[0], 20, 1e-9);
    cr_expect_float_eq(two->held_gpu_s[0], 20.5, 1e-9);
    cr_expect_float_eq(two->held_gpu_s[1], 2 * 19.5, 1e-9);
    cr_expect_float_eq(last->held_gpu_s[0], 22, 1e-9);
    cr_expect_float_eq(at(&eyes, 22.5)->held_gpu_s[1], 2 * 21.5, 1e-9);
    cr_expect_float_eq(at(&eyes, 40)->held_gpu_s[0], 22 + 10, 1e-9);
    /* what is left while a checkpoint is written, after 17 s of computing, and after 5 s are lost
     */
    cr_expect_float_eq(two->remaining[0], 83, 1e-9);
    cr_expect_float_eq(two->predicted[0], 83, 1e-9);
    cr_expect_float_eq(at(&eyes, 40)->remaining[0], 83, 1e-9);
}

/* A job that is 20 % faster or slower than predicted: what is left is measured at each decision,
   not only where it stops; the prediction goes by its speed on paper until then. */
Test(now, work_left_is_measured) {
    struct eyes eyes;
    run_script(&eyes, "job_id,submit_s,model,work_samples\na,0,m,100\nb,10,m,1\n",
               "replications: 1\nnoise: {speed_sigma: 0.3}\n", "0 start 0 0, 10 start 1 0");
    const struct instant *i = at(&eyes, 10);
    cr_assert(fabs(i->speed - 1) > 0.01, "a draws %g", i->speed);
    cr_expect_float_eq(i->remaining[0], 100 - 7 * i->speed, 1e-9);
    cr_expect_float_eq(i->predicted[0], 93, 1e-9);
    cr_expect_float_eq(i->remaining[1], 1, 1e-9); /* it has just begun */
}

/* a computes 1 sample a second from 3 on: of 100 it has a quarter to do at 102.75. */
Test(now, little_work_is_left) {
    struct eyes eyes;
    run_script(&eyes, "job_id,submit_s,model,work_samples\na,0,m,100\nb,10,m,1\n", "",
               "0 start 0 0, 102.75 start 1 0");
    cr_expect_float_eq(at(&eyes, 102.75)->remaining[0], 0.25, 1e-9);
}

/* Of a rigid job nobody knows how long it is: a asks for 50 s and takes 30. */
Test(now, work_left_of_rigid_jobs) {
    struct eyes eyes;
    run_script(&eyes,
               "job_id,submit_s,gpus,duration_s,requested_s\na,0,1,30,50\nb,20,1,1,1\nc,60,1,1,1\n",
               "", "0 start 0 0, 20 start 1 0, 60 start 2 0");
    cr_expect_float_eq(at(&eyes, 20)->remaining[0], 30, 1e-9);
    cr_expect(isnan(at(&eyes, 60)->remaining[0])); /* it is over, and no event names it */
}

#define MEMORY_JOBS \
    "job_id,submit_s,gpus,duration_s\na,0,2,20\nb,0,1,20\nc,1,3,8\nd,2,1,20\ne,2,1,13\nf,30,2,5\n" \
    "g,90,1,5\n"

static void run_remembering(struct trial *t, const char *policy, bool unchecked) {
    static struct trial_options options;
    options = (struct trial_options){.jobs = MEMORY_JOBS, .strict = true, .unchecked = unchecked};
    trial_run(t, &options, "name: n\nhorizon: drain\npolicy: %s\n" TRIAL_CLUSTER(3) TRIAL_JOBS,
              policy);
}

/* The plug-in fails the run itself where its memory is not what it left there. */
Test(now, memory_of_jobs) {
    struct trial t;
    run_remembering(&t, "{name: remembers}", false);
    trial_must_succeed(&t);
    cr_assert_eq(t.counted.entries.count, 1);
    uint64_t preempted = 0;
    for (size_t j = 0; j < t.job_count; j++)
        preempted += t.jobs[j].preemptions > 0;
    cr_expect(preempted > 0 && t.counted.entries.at[0].count == preempted, "%llu, %llu",
              (unsigned long long)preempted, (unsigned long long)t.counted.entries.at[0].count);
    trial_finish(&t);
}

/* One byte too many is found where runs are checked. */
Test(now, memory_that_is_too_short) {
    struct trial t;
    run_remembering(&t, "{name: remembers, params: {kind: behind}}", false);
    cr_expect_eq(t.status, ERROR_RUN);
    cr_expect_str_eq(t.failure,
                     "policy remembers has written past its memory of job a (at t = 0 s)");
    trial_finish(&t);
}

/* 65,536 bytes each of 70,000 jobs are more than all may have together. */
Test(now, memory_that_is_too_large) {
    struct trial t;
    trial_run(&t, &(struct trial_options){.jobs = NULL},
              "name: n\nhorizon: drain\npolicy: {name: remembers_much}\n" TRIAL_CLUSTER(
                  1) "workload: {kind: periodic, period: 1s, until: {jobs: 70000}, sizes: {law: "
                     "constant, mean: 1s}, rigid: {k: 1}}\n");
    cr_expect_eq(t.status, ERROR_RUN);
    cr_expect_str_eq(t.failure, "policy remembers: job_memory_size is 65536 bytes, of 70000 jobs "
                                "together 4.27 GiB: expected at most 4 GiB");
    trial_finish(&t);
}

/* --- refusing plans --- */

/* A plan that refuses: every action is answered, none is counted, and the view stays. */
static void refuse_all(void *context, const struct sim *sim) {
    struct easim_plan plan = {.head.refuses = true, .sim = (struct sim *)(uintptr_t)sim};
    struct easim_pass pass;
    actions_pass(&plan, &pass);
    const struct easim_host *host = pass.host;
    const struct easim_part part = {.action = EASIM_PART_PREEMPT, .job = 0};
    const struct easim_view before = *pass.view;
    uint32_t blamed = 3;
    cr_expect_eq(host->plan_start(&plan, 0, 0), EASIM_INVAL);
    cr_expect_eq(host->plan_resize(&plan, 0, 0), EASIM_INVAL);
    cr_expect_eq(host->plan_preempt(&plan, 0, true), EASIM_INVAL);
    cr_expect_eq(host->plan_wake_at(&plan, pass.view->now_s + 1), EASIM_INVAL);
    cr_expect_eq(host->plan_wake_clear(&plan), EASIM_INVAL);
    cr_expect_eq(host->plan_reject(&plan, 0, "why"), EASIM_INVAL);
    cr_expect_eq(easim_plan_exchange(&pass, &part, 1, &blamed), EASIM_INVAL);
    cr_expect_eq(blamed, EASIM_NONE);
    cr_expect_eq(easim_plan_exchange(&pass, &part, 1, NULL), EASIM_INVAL);
    cr_expect_eq(sim->view.scaling->plan_scale_up(&plan, 0), EASIM_INVAL);
    cr_expect_eq(sim->view.scaling->plan_scale_down(&plan, 0), EASIM_INVAL);
    cr_expect_eq(plan.actions.count, 0);
    cr_expect_eq(memcmp(&before, pass.view, sizeof before), 0);
    for (int i = 0; i < REFUSAL_COUNT; i++)
        cr_expect_eq(sim->refused[i], 0);
    ++*(uint32_t *)context;
}

/* At every instant of a run in which most of these actions could be done. */
Test(now, refusing_plan) {
    uint32_t instants = 0;
    const struct observer watch = {.context = &instants, .instant = refuse_all};
    struct trial t;
    trial_run(
        &t,
        &(struct trial_options){.jobs = "job_id,submit_s,model,work_samples\na,0,m,100\n",
                                .models = models,
                                .strict = true,
                                .watch = &watch},
        "name: n\nhorizon: drain\nmodels: models.yaml\n"
        "cluster: {gpu_types: [{name: g, idle_w: 50, ctx_w: 90, tdp_w: 100}], nodes: [{gpu: g, gpus: 4}]}\n"
        "policy: {name: script, params: {actions: \"0 start 0 0, 20 stop 0, 30 start 0 1\"}}\n" TRIAL_JOBS);
    trial_must_succeed(&t);
    cr_expect_geq(instants, 4);
    trial_finish(&t);
}
