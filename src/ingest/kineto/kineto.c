/* From Kineto traces to a profile row and figures. */
#include "ingest/kineto/kineto_job.h"
#include "ingest/profile_formats.h"

#include <math.h>

/* ---- The profile row ---- */

/* The slowest rank holds up all others. */
static double slowest_median_s(const struct kineto_job *job) {
    double slowest = NAN;
    for (size_t i = 0; i < job->count; i++)
        if (!(job->figures[i].iteration.median_us <= slowest * 1e6))
            slowest = job->figures[i].iteration.median_us / 1e6;
    return slowest;
}

struct profile_row *kineto_job_add_row(const struct kineto_job *job, struct profile *profile) {
    struct profile_row *row = profile_add_row(profile, job->options);
    const struct kineto_trace *first = &job->traces[0];
    double iteration_s = slowest_median_s(job);
    struct arena *arena = &profile->arena;
    if (row->gpus == 0 && first->world_size > 0 && first->world_size <= UINT32_MAX)
        row->gpus = (uint32_t)first->world_size;
    if (!row->gpu && first->gpu)
        row->gpu = arena_strdup(arena, first->gpu);
    if (row->gpus > 0 && row->batch > 0 && iteration_s > 0)
        row->throughput_samples_s = (double)row->gpus * row->batch / iteration_s;
    row->source =
        arena_printf(arena, "kineto %s%s", first->path, job->count > 1 ? " and other ranks" : "");
    if (first->gpus.all.count > 0)
        return row; /* a simulation of many jobs is no measurement of one */
    if (!(iteration_s > 0))
        problems_add_setting(
            job->notes, (struct location){0}, "iteration",
            "no iteration is marked: no throughput; a pattern names the annotation that begins one");
    if (iteration_s > 0 && row->gpus == 0)
        problems_add_setting(job->notes, (struct location){0}, "gpus",
                             "there is no throughput without it");
    if (iteration_s > 0 && row->batch == 0)
        problems_add_setting(job->notes, (struct location){0}, "batch",
                             "there is no throughput without it");
    return row;
}

/* ---- All of it ---- */

static void report_figures(struct kineto_job *job, struct profile *profile) {
    struct kineto_ranks ranks;
    struct kineto_costs costs;
    profile->figures = figures_create(&profile->arena);
    kineto_ranks_init(&ranks, &job->kinds, job->traces, job->count);
    kineto_costs_init(&costs, &ranks);
    kineto_job_note_ranks(job, &ranks);
    kineto_figures_add_ranks(profile->figures, job->traces, job->figures, job->count);
    if (job->count > 1)
        kineto_figures_add_collectives(profile->figures, &ranks);
    kineto_figures_add_costs(profile->figures, &costs);
    kineto_costs_finish(&costs);
    kineto_ranks_finish(&ranks);
    kineto_job_add_row(job, profile);
}

static int kineto_read(char *const *paths, size_t count, const struct profile_options *options,
                       struct profile *profile, struct problems *problems) {
    struct kineto_job job;
    kineto_job_init(&job, options, &profile->notes, problems);
    int r = kineto_job_read(&job, paths, count);
    if (r == 0)
        report_figures(&job, profile);
    profile->damaged |= job.damaged;
    kineto_job_finish(&job);
    return r;
}

const struct profile_reader kineto_reader = {
    "kineto", "PyTorch-profiler (Kineto) traces, one rank or all", kineto_read,
    PROFILE_STEPS | PROFILE_ITERATION | PROFILE_COMMUNICATION | PROFILE_KERNEL_DELAY, NULL};
