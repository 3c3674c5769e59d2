/* Drawn jobs in another physics: see drawn_jobs.h. Invariant: sets are made in the order in which
   they were made for the drawn jobs, so in the same physics all numbers are the same. */
#include "workload/drawn_jobs.h"

#include <assert.h>
#include <stdlib.h>

/* The new number of each set of the drawn jobs. Sets of later phases come with those of the first.
 */
static uint32_t *place_sets(const struct config_table *drawn, struct config_table *table) {
    uint32_t *places = mem_zalloc(drawn->sets.count, sizeof *places);
    for (size_t i = 0; i < drawn->sets.count; i++)
        if (drawn->sets.at[i].request->phase == 0)
            places[i] = config_table_set(table, drawn->sets.at[i].request);
    return places;
}

int drawn_jobs_place(const struct workload *drawn, const struct workload_source *source,
                     const struct config_extras *extras, struct workload *workload,
                     struct problems *problems) {
    assert(source->models->count == drawn->table.models->count);
    *workload = (struct workload){.services = &source->services,
                                  .rigid_costs = source->rigid_costs,
                                  .has_utilization = drawn->has_utilization,
                                  .warmup_ns = drawn->warmup_ns};
    if (config_table_init(&workload->table, source->cluster, source->models, problems) < 0)
        return ERROR_INPUT;
    workload->table.extras = *extras;
    workload->table.allowed_k = source->allowed_k;
    uint32_t *places = place_sets(&drawn->table, &workload->table);
    for (size_t i = 0; i < drawn->jobs.count; i++) {
        struct job_spec job = drawn->jobs.at[i];
        job.set = places[job.set];
        array_push(&workload->jobs, job);
    }
    for (size_t i = 0; i < drawn->users.count; i++)
        array_push(&workload->users, drawn->users.at[i]);
    for (size_t i = 0; i < drawn->label_names.count; i++)
        array_push(&workload->label_names, drawn->label_names.at[i]);
    free(places);
    return 0;
}
