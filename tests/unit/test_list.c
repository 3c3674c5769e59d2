/* Parts of the list driver that stand alone. */
#include "policy/list/grow.h"
#include "policy/list/start.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static uint32_t best_of(const struct easim_choice *choices, const double *objectives,
                        size_t count) {
    struct choice_best best = CHOICE_NONE_YET;
    for (size_t i = 0; i < count; i++)
        choice_keep_better(&best, &choices[i], objectives[i]);
    return best.choice.config;
}

/* The least objective wins, wherever it stands, and among equal ones the order of
   model/config_speeds.h: fewer GPUs first. */
Test(list, best_choice) {
    static const struct easim_choice choices[] = {
        {.config = 0, .k = 4}, {.config = 1, .k = 2}, {.config = 2, .k = 3}};
    cr_expect_eq(best_of(choices, (double[]){5, 6, 7}, 3), 0);
    cr_expect_eq(best_of(choices, (double[]){7, 6, 5}, 3), 2);
    cr_expect_eq(best_of(choices, (double[]){5, 5, 5}, 3), 1);
    cr_expect_eq(best_of(choices, (double[]){5, 6, 5}, 3), 2);
}

/* An infinite objective is a configuration that the job must never get. */
Test(list, infinite_is_no_choice) {
    static const struct easim_choice choices[] = {{.config = 0, .k = 4}, {.config = 1, .k = 2}};
    cr_expect_eq(best_of(choices, (double[]){INFINITY, INFINITY}, 2), EASIM_NONE);
    cr_expect_eq(best_of(choices, (double[]){INFINITY, 5}, 2), 1);
}

static void keep_failure(struct easim_plan *plan, const char *message) {
    (void)plan, (void)message;
    cr_assert_fail("%s", message);
}

/* --- what growing could bring --- */

#define CONFIGS 5

/* Job a has computed for 100 s of 1000 at 1 a second on one GPU of type 0; a restart takes 20 s.
   T falls from 900 to 20 + left / goodput: to 582.5 on 2 GPUs, 802.6 on 3, of type 1 to 816.5 on 2
   and, across nodes, 712.3 on 4. A resize must save a tenth of 900, more than the restart. So all
   pay but the third, and need 1 and 2 more of type 0, and 4 of type 1. With a checkpoint every
   300 s the 100 s are lost: then 3 GPUs (889.6) do not pay before the next checkpoint. */
Test(list, growth) {
    static const struct easim_list ops = {.struct_size = sizeof ops};
    static const struct list_options options = {.resize = true, .resize_gain = 0.1};
    static const struct easim_host host = {.struct_size = sizeof host, .fail = keep_failure};
    struct minimised time = {{0}, {0}};
    const struct rules rules = {.ops = &ops, .options = &options, .minimised = &time};
    const struct easim_gpu_type types[2] = {{.gpus = 8}, {.gpus = 8}};
    const struct easim_config configs[CONFIGS] = {
        {.gpu_type = 0, .k = 1, .span_count = 2, .goodput = {1, 1}},
        {.gpu_type = 0, .k = 2, .span_count = 2, .goodput = {1.6, 1.6}},
        {.gpu_type = 0, .k = 3, .span_count = 2, .goodput = {1.15, 0}},
        {.gpu_type = 1, .k = 2, .span_count = 2, .goodput = {1.13, 1}},
        {.gpu_type = 1, .k = 4, .span_count = 2, .goodput = {1, 1.3}}};
    struct easim_job job = {.id = "a",
                            .state = EASIM_JOB_RUNNING,
                            .config_count = CONFIGS,
                            .goodput_now = 1,
                            .remaining = 1000,
                            .restart_s = 20};
    const struct easim_view view = {.now_s = 100,
                                    .gpu_types = types,
                                    .gpu_type_count = 2,
                                    .gpu_type_stride = sizeof *types,
                                    .configs = configs,
                                    .config_count = CONFIGS,
                                    .config_stride = sizeof *configs,
                                    .jobs = &job,
                                    .job_stride = sizeof job,
                                    .job_count = 1};
    const struct easim_pass pass = {.view = &view, .host = &host};
    for (int i = 0; i < 2; i++) {
        uint32_t needs[2] = {EASIM_NONE, EASIM_NONE};
        struct growth_gpus growth = {.needs = needs};
        job.checkpoint_interval_s = i == 0 ? 0 : 300;
        cr_assert_eq(growth_gpus_find(&rules, &pass, &job, &growth), 0);
        cr_expect(needs[0] == 1 && needs[1] == 4, "%u and %u GPUs", needs[0], needs[1]);
        cr_expect_eq(growth.after_checkpoint, i == 1);
    }
    uint32_t needs[2] = {EASIM_NONE, EASIM_NONE};
    struct growth_gpus growth = {.needs = needs};
    job.first_config =
        2; /* 3 GPUs, now or after a checkpoint; 2 of the other type, which do not pay */
    job.config_count = 2;
    cr_assert_eq(growth_gpus_find(&rules, &pass, &job, &growth), 0);
    cr_expect(needs[0] == EASIM_NONE && needs[1] == EASIM_NONE && growth.after_checkpoint);
    job.checkpoint_interval_s = 0;
    growth.after_checkpoint = false;
    cr_assert_eq(growth_gpus_find(&rules, &pass, &job, &growth), 0);
    cr_expect(needs[0] == 2 && needs[1] == EASIM_NONE && !growth.after_checkpoint);
}
