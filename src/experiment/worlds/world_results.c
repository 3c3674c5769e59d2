/* Summaries by set, world, replication and policy: see world_results.h. */
#include "experiment/worlds/world_results.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

static size_t run_index(const struct world_results *results, struct world_run run) {
    size_t world = run.set * results->worlds + run.world;
    return (world * results->replications + run.replication) * results->policies + run.policy;
}

void world_results_init(struct world_results *results) {
    size_t count = results->sets * results->worlds * results->replications * results->policies;
    results->values = mem_alloc(count * SUMMARY_COUNT * sizeof *results->values);
    for (size_t i = 0; i < count * SUMMARY_COUNT; i++)
        results->values[i] = NAN;
}

void world_results_finish(struct world_results *results) {
    free(results->values);
    results->values = NULL;
}

double *world_results_at(const struct world_results *results, struct world_run run) {
    return results->values + run_index(results, run) * SUMMARY_COUNT;
}

double world_results_value(const struct world_results *results, struct world_run run,
                           unsigned column) {
    return world_results_at(results, run)[column];
}

/* Every run that there is has a measured time. */
bool world_results_has(const struct world_results *results, struct world_run run) {
    return !isnan(world_results_value(results, run, SUMMARY_COLUMN(sim_s)));
}

void world_results_drop(struct world_results *results, size_t set, uint32_t world) {
    double *first = world_results_at(results, (struct world_run){.set = set, .world = world});
    for (size_t i = 0; i < results->replications * results->policies * SUMMARY_COUNT; i++)
        first[i] = NAN;
}
