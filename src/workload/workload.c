/* Jobs ready to run: see workload.h. */
#include "workload/workload.h"

#include "base/rng.h"

#include <gsl/gsl_randist.h>
#include <stdio.h>
#include <stdlib.h>

void workload_finish(struct workload *workload) {
    free(workload->jobs.at);
    free(workload->users.at);
    free(workload->label_names.at);
    intern_finish(&workload->user_names);
    config_table_finish(&workload->table);
    arena_finish(&workload->arena);
    *workload = (struct workload){0};
}

static bool is_same_job(const struct job_spec *a, const struct job_spec *b) {
    return a->kind == b->kind && a->submit_ns == b->submit_ns && a->deadline_ns == b->deadline_ns &&
           a->work == b->work && a->predicted_work == b->predicted_work && a->set == b->set &&
           a->model == b->model && a->user == b->user && a->sla == b->sla && a->flex == b->flex &&
           a->preemptible == b->preemptible;
}

bool workload_same_jobs(const struct workload *workload, const struct workload *other) {
    size_t i = 0, count = workload->jobs.count;
    if (other->jobs.count != count)
        return false;
    while (i < count && is_same_job(&workload->jobs.at[i], &other->jobs.at[i]))
        i++;
    return i == count;
}

void workload_remove_job(struct workload *workload, uint32_t job) {
    workload->gap = job + 1;
    workload->jobs.count--;
    memmove(&workload->jobs.at[job], &workload->jobs.at[job + 1],
            (workload->jobs.count - job) * sizeof *workload->jobs.at);
}

uint32_t workload_job_number(const struct workload *workload, uint32_t job) {
    return job + (workload->gap > 0 && job + 1 >= workload->gap);
}

uint32_t workload_user(struct workload *workload, const char *name) {
    bool is_new;
    uint32_t user = intern(&workload->user_names, name, strlen(name), &is_new);
    if (is_new)
        array_push(&workload->users,
                   ((struct workload_user){intern_text(&workload->user_names, user), 1}));
    return user;
}

const struct start_costs *workload_costs(const struct workload *workload,
                                         const struct job_spec *job) {
    return job->kind == JOB_KIND_RIGID ? &workload->rigid_costs
                                       : &workload->table.models->models[job->model].costs;
}

const char *workload_model_name(const struct workload *workload, const struct job_spec *job) {
    return job->kind == JOB_KIND_RIGID ? NULL : workload->table.models->models[job->model].name;
}

double workload_reference_gpu_s(const struct workload *workload, const struct job_spec *job,
                                double gpus) {
    if (job->kind == JOB_KIND_RIGID)
        return job->work * gpus;
    double goodput = config_table_reference(&workload->table, job->model).goodput;
    return goodput > 0 ? job->work / goodput : 0;
}

/* --- speed_noise --- */

double speed_noise(const struct noise_draw *draw, uint32_t job, enum job_kind kind) {
    double sigma = draw->speed_sigma;
    if (sigma == 0 || kind == JOB_KIND_RIGID)
        return 1;
    char name[32];
    snprintf(name, sizeof name, "noise/%u", job);
    gsl_rng *rng = rng_create(draw->seed, draw->replication, name);
    double noise = gsl_ran_lognormal(rng, -sigma * sigma / 2, sigma);
    gsl_rng_free(rng);
    return noise;
}
