/* The inline functions of the public headers on a view made by hand: two GPU types, one job, one
   user. */
#include "easim/policy.h"

#include <criterion/criterion.h>

/* a: 5 GPUs, 2 free on the freest node, 3 free in all; 20 W idle, 30 W context. */
static const struct easim_gpu_type types[] = {{.name = "a",
                                               .gpus = 5,
                                               .free = 3,
                                               .node_gpus_max = 4,
                                               .node_free_max = 2,
                                               .idle_w = 20,
                                               .ctx_w = 30,
                                               .tdp_w = 400}};
static const struct easim_config configs[] = {
    {.k = 2, .batch = 8, .span_count = 2, .goodput = {2.5, 2}, .power_w = {250, 240}},
    {.k = 3, .batch = 8, .span_count = 2, .goodput = {3.5, 3}, .power_w = {260, 250}},
    {.k = 4, .batch = 8, .span_count = 2, .goodput = {4.5, 4}, .power_w = {260, 250}},
};
static const struct easim_user users[] = {
    {.name = "u", .weight = 1, .gpu_s = 7.5, .as_of_s = 90, .allocated_gpus = 2}};
static const struct easim_view view = {.struct_size = sizeof view,
                                       .now_ns = 100000000000,
                                       .now_s = 100,
                                       .usage_half_life_s = INFINITY,
                                       .gpu_type_count = 1,
                                       .user_count = 1,
                                       .config_count = 3,
                                       .gpu_type_stride = sizeof *types,
                                       .user_stride = sizeof *users,
                                       .config_stride = sizeof *configs,
                                       .gpu_types = types,
                                       .users = users,
                                       .configs = configs};

Test(policy_header, time_and_usage) {
    const struct easim_job job = {.state = EASIM_JOB_RUNNING,
                                  .submit_s = 61.25,
                                  .start_s = 91,
                                  .setup_s = 4,
                                  .config = 1,
                                  .goodput_now = 3.5,
                                  .remaining = 21};
    cr_expect_eq(easim_job_age_s(&view, &job), 38.75);
    /* 7.5 GPU-s until 90, then 2 GPUs for 10 s */
    cr_expect_eq(easim_user_usage_s(&view, 0), 27.5);
    /* half-life 10 s: 7.5/2 + integral of 2 * 2^(-s/10) over 10 s = 3.75 + 2 * 10/ln 2 * (1 - 1/2)
     */
    struct easim_view fading = view;
    fading.usage_half_life_s = 10;
    cr_expect_float_eq(easim_user_usage_s(&fading, 0), 3.75 + 10 / log(2), 1e-12);
    /* computing since 95 at 3.5 samples/s in one node: 21 - 5 * 3.5 */
    cr_expect_eq(easim_job_remaining(&view, &job), 3.5);
    struct easim_job early = job, late = job;
    early.setup_s = 12;  /* still in set-up: nothing is done */
    late.remaining = 10; /* overruns its prediction: nothing is left */
    cr_expect_eq(easim_job_remaining(&view, &early), 21);
    cr_expect_eq(easim_job_remaining(&view, &late), 0);
    cr_expect_eq(easim_predicted_end_ns(&view, view.now_ns + 5), view.now_ns + 5);
    cr_expect_eq(easim_predicted_end_ns(&view, view.now_ns), view.now_ns + 1);
}

/* A job of 3 GPUs since 91, set up until 95, 3.5 samples/s: what it has left of 21 and has held
   beside the 50 GPU-seconds of earlier, at 100, in each state. */
Test(policy_header, work_left_and_attained) {
    static const struct {
        enum easim_job_state state;
        uint32_t config;
        double remaining, held_gpu_s;
    } cases[] = {
        {EASIM_JOB_WAITING, EASIM_NONE, 21, 50},
        {EASIM_JOB_RUNNING, 1, 21 - 5 * 3.5, 50 + 3 * 9},
        {EASIM_JOB_CHECKPOINTING, 1, 21, 50 + 3 * 9},  /* `remaining` has been counted already */
        {EASIM_JOB_CHECKPOINTING, EASIM_NONE, 21, 50}, /* its GPUs are gone */
        {EASIM_JOB_FINISHED, 1, 21, 50},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct easim_job job = {.state = cases[i].state,
                                      .start_s = 91,
                                      .setup_s = 4,
                                      .config = cases[i].config,
                                      .goodput_now = 3.5,
                                      .remaining = 21,
                                      .held_gpu_s = 50};
        cr_expect_eq(easim_job_remaining(&view, &job), cases[i].remaining, "case %zu", i);
        cr_expect_eq(easim_job_held_gpu_s(&view, &job), cases[i].held_gpu_s, "case %zu", i);
    }
}

/* Places of the memory of jobs; none for those that are not submitted, or do not exist. */
Test(policy_header, memory_of_jobs) {
    struct easim_job jobs[] = {{.state = EASIM_JOB_FINISHED}, {.state = EASIM_JOB_PENDING}};
    char memory[2 * 32];
    struct easim_view here = view;
    here.job_count = 2;
    here.job_stride = sizeof *jobs;
    here.jobs = jobs;
    struct easim_pass pass = {.view = &here, .job_memory = memory, .job_memory_stride = 32};
    cr_expect_eq(easim_job_memory(&pass, 0), memory);
    cr_expect_null(easim_job_memory(&pass, 1));
    jobs[1].state = EASIM_JOB_WAITING;
    cr_expect_eq(easim_job_memory(&pass, 1), memory + 32);
    cr_expect_null(easim_job_memory(&pass, 2));
    cr_expect_null(easim_job_memory(&pass, EASIM_NONE));
    pass.job_memory = NULL;
    cr_expect_null(easim_job_memory(&pass, 0));
}

Test(policy_header, predictions) {
    cr_expect_eq(easim_fit(&view, &configs[0]), EASIM_ONE_NODE);
    cr_expect_eq(easim_fit(&view, &configs[1]), EASIM_ACROSS_NODES);
    cr_expect_eq(easim_fit(&view, &configs[2]), EASIM_NOFIT);
    const struct easim_job job = {.setup_s = 4, .remaining = 21};
    struct easim_choice choice = easim_predict(&view, &job, 1, EASIM_ACROSS_NODES);
    /* 21/3 = 7 s of computing: T = 11 s, E = 3 * (30 * 4 + 250 * 7) = 5610 J, EDP = 61710 J s */
    cr_expect_eq(choice.time_s, 11);
    cr_expect_eq(choice.energy_j, 5610);
    cr_expect_eq(choice.edp_js, 61710);
    cr_expect_eq(choice.power_w, 250);
    cr_expect_eq(choice.ctx_w, 30);
    cr_expect_eq(choice.idle_w, 20);
}

/* Jobs in every state; of those over and not submitted, one each that an event of the decision
   names. Elements longer than the header's, as a later minor version may have them. */
Test(policy_header, jobs_that_are_seen) {
    static const enum easim_job_state states[] = {
        EASIM_JOB_PENDING,  EASIM_JOB_WAITING,  EASIM_JOB_RUNNING,  EASIM_JOB_CHECKPOINTING,
        EASIM_JOB_FINISHED, EASIM_JOB_FINISHED, EASIM_JOB_REJECTED, EASIM_JOB_REJECTED};
    static const bool seen[] = {false, true, true, true, false, true, false, true};
    enum { JOBS = sizeof states / sizeof *states };
    struct {
        struct easim_job job;
        char more[40];
    } jobs[JOBS] = {0};
    struct {
        struct easim_event event;
        char more[8];
    } events[] = {{{EASIM_EVENT_REPAIR, EASIM_NONE, 3}, {1}},
                  {{EASIM_EVENT_FINISH, 5, EASIM_NONE}, {1}},
                  {{EASIM_EVENT_FINISH, 7, EASIM_NONE}, {1}}};
    const struct easim_view here = {.job_count = JOBS,
                                    .job_stride = sizeof jobs[0],
                                    .jobs = jobs,
                                    .event_count = 3,
                                    .event_stride = sizeof events[0],
                                    .events = events};
    for (uint32_t i = 0; i < JOBS; i++) {
        jobs[i].job.index = i;
        jobs[i].job.state = states[i];
        jobs[i].job.here = states[i] >= EASIM_JOB_WAITING && states[i] <= EASIM_JOB_CHECKPOINTING;
    }
    for (uint32_t i = 0; i < JOBS; i++)
        cr_expect_eq(easim_view_job(&here, i), seen[i] ? &jobs[i].job : NULL, "job %u", i);
    cr_expect_null(easim_view_job(&here, JOBS));
    cr_expect_null(easim_view_job(&here, EASIM_NONE));
}
