/* Results by set, world, replication and policy: each run has a place of its own. */
#include "experiment/worlds/run.h"

#include <criterion/criterion.h>

static struct world_results three_by_two(void) {
    static const char *const groups[] = {"power", "scaling"}, *const policies[] = {"a", "b"};
    struct world_results results = {.sets = 3,
                                    .groups = groups,
                                    .worlds = 3,
                                    .replications = 2,
                                    .policies = 2,
                                    .policy_names = policies,
                                    .baseline = 1};
    world_results_init(&results);
    return results;
}

/* Each run is filled in with a number that no other has. */
Test(world_results, places) {
    struct world_results results = three_by_two();
    double number = 1;
    struct world_run run;
    for (run.set = 0; run.set < 3; run.set++)
        for (run.world = 0; run.world < 3; run.world++)
            for (run.replication = 0; run.replication < 2; run.replication++)
                for (run.policy = 0; run.policy < 2; run.policy++) {
                    cr_assert(!world_results_has(&results, run));
                    for (unsigned c = 0; c < SUMMARY_COUNT; c++)
                        world_results_at(&results, run)[c] = number++;
                }
    run = (struct world_run){.set = 2, .world = 1, .replication = 1, .policy = 0};
    /* before it: 2 sets of 3 x 2 x 2 runs, 1 world of 2 x 2, 1 replication of 2 */
    double first = 1 + (2 * 12 + 1 * 4 + 1 * 2) * (double)SUMMARY_COUNT;
    cr_assert_eq(world_results_value(&results, run, 5), first + 5);
    world_results_finish(&results);
}

Test(world_results, missing) {
    struct world_results results = three_by_two();
    struct world_run run = {.set = 1, .world = 2};
    world_results_at(&results, run)[SUMMARY_COLUMN(sim_s)] = 3600;
    cr_assert(world_results_has(&results, run));
    for (run.replication = 0; run.replication < 2; run.replication++)
        for (run.policy = 0; run.policy < 2; run.policy++)
            world_results_at(&results, run)[SUMMARY_COLUMN(sim_s)] = 3600;
    run = (struct world_run){.set = 1, .world = 1, .replication = 1, .policy = 1};
    world_results_at(&results, run)[SUMMARY_COLUMN(sim_s)] = 3600;
    world_results_drop(&results, 1, 2);
    cr_assert(world_results_has(&results, run));
    for (run.world = 2, run.replication = 0; run.replication < 2; run.replication++)
        for (run.policy = 0; run.policy < 2; run.policy++)
            cr_assert(!world_results_has(&results, run));
    world_results_finish(&results);
}
