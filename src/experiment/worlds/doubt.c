/* Budgets of a whole comparison: see doubt.h. */
#include "experiment/worlds/doubt.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

static size_t place_of(const struct doubt *doubt, unsigned column, size_t policy) {
    return column * doubt->results->policies + policy;
}

/* One column of a policy's runs, [set][world][replication]. */
static void fill_column(const struct world_results *results, unsigned column, size_t policy,
                        double *values) {
    struct world_run run = {.policy = policy};
    for (run.set = 0; run.set < results->sets; run.set++)
        for (run.world = 0; run.world < results->worlds; run.world++)
            for (run.replication = 0; run.replication < results->replications; run.replication++)
                *values++ = world_results_value(results, run, column);
}

static void fill_budgets(struct doubt *doubt, unsigned column, uint64_t seed) {
    const struct world_results *results = doubt->results;
    size_t count = results->sets * results->worlds * results->replications;
    double *values = mem_zalloc(count, sizeof *values), *base = mem_zalloc(count, sizeof *base);
    struct budget_values pair = {.sets = results->sets,
                                 .worlds = results->worlds,
                                 .replications = results->replications,
                                 .policy = values,
                                 .baseline = base,
                                 .direction = metric_table[column].better};
    bool differs = results->baseline != WORLD_NOBODY;
    if (differs)
        fill_column(results, column, results->baseline, base);
    for (size_t p = 0; p < results->policies; p++) {
        size_t at = place_of(doubt, column, p);
        fill_column(results, column, p, values);
        pair.worlds = differs && p != results->baseline ? results->worlds : 0;
        budget_of(&pair, seed, &doubt->budgets[at], doubt->groups + at * doubt_group_count(doubt));
    }
    free(values);
    free(base);
}

void doubt_init(struct doubt *doubt, const struct world_results *results, uint64_t seed) {
    size_t count = SUMMARY_COUNT * results->policies;
    *doubt = (struct doubt){
        .results = results,
        .budgets = mem_zalloc(count, sizeof *doubt->budgets),
        .groups = mem_zalloc(count * results->sets, sizeof *doubt->groups),
    };
    for (unsigned column = 0; column < SUMMARY_COUNT; column++)
        fill_budgets(doubt, column, seed);
}

void doubt_finish(struct doubt *doubt) {
    if (!doubt)
        return;
    free(doubt->budgets);
    free(doubt->groups);
    *doubt = (struct doubt){0};
}

const struct budget *doubt_budget(const struct doubt *doubt, unsigned column, size_t policy) {
    return &doubt->budgets[place_of(doubt, column, policy)];
}

size_t doubt_group_count(const struct doubt *doubt) {
    return doubt->results->sets - 1;
}

const char *doubt_source_name(const struct doubt *doubt, size_t place) {
    static const char *const names[DOUBT_SOURCES] = {"physics", "workload", "residual"};
    return place < DOUBT_SOURCES ? names[place] : doubt->results->groups[place - DOUBT_SOURCES];
}

struct share_range doubt_source_share(const struct doubt *doubt, unsigned column, size_t policy,
                                      size_t place) {
    const struct budget *budget = doubt_budget(doubt, column, policy);
    const struct share_range shares[DOUBT_SOURCES] = {budget->physics, budget->workload,
                                                      budget->residual};
    if (place < DOUBT_SOURCES)
        return shares[place];
    return doubt->groups[place_of(doubt, column, policy) * doubt_group_count(doubt) + place -
                         DOUBT_SOURCES];
}
