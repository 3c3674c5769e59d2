/* Jobs ready to run: see workload.h. */
#include "workload/workload.h"

#include <stdlib.h>

void workload_finish(struct workload *w) {
    free(w->jobs.at);
    free(w->users.at);
    free(w->label_names.at);
    intern_finish(&w->user_names);
    config_table_finish(&w->table);
    arena_finish(&w->arena);
    *w = (struct workload){0};
}

uint32_t workload_user(struct workload *w, const char *name) {
    bool is_new;
    uint32_t user = intern(&w->user_names, name, strlen(name), &is_new);
    if (is_new)
        array_push(&w->users, ((struct workload_user){intern_text(&w->user_names, user), 1}));
    return user;
}

const struct start_costs *workload_costs(const struct workload *w, const struct job_spec *job) {
    return job->kind == JOB_KIND_RIGID ? &w->rigid_costs
                                       : &w->table.models->models[job->model].costs;
}

double workload_reference_gpu_s(const struct workload *w, const struct job_spec *job, double gpus) {
    if (job->kind == JOB_KIND_RIGID)
        return job->work * gpus;
    for (uint32_t h = 0; h < w->table.cluster->gpu_type_count; h++) {
        double goodput = config_table_unit_goodput(&w->table, job->model, h);
        if (goodput > 0)
            return job->work / goodput;
    }
    return 0;
}
