/* Generated jobs: sizes by a law in reference GPU time; when they arrive: arrivals.c. */
#include "workload/generated_jobs.h"

#include "base/units.h"
#include "workload/arrivals.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>

/* The lognormal law of a mean. */
struct lognormal {
    double mean, log_scale, shape; /* mean NaN: not worked out yet */
};

struct generator {
    const struct stream *stream;
    const struct stream_rngs *rngs;
    struct workload *workload;
    uint32_t *sets;              /* by model, that of its last job; EASIM_NONE: none yet */
    struct lognormal *lognormal; /* of the last job */
};

/* In the unit of the mean. */
static double draw_size(const struct generator *g, double mean) {
    const struct size_spec *sizes = &g->stream->sizes;
    struct lognormal *law = g->lognormal;
    gsl_rng *rng = g->rngs->sizes;
    if (sizes->law == SIZE_CONSTANT)
        return mean;
    if (sizes->law == SIZE_EXPONENTIAL)
        return gsl_ran_exponential(rng, mean);
    if (mean != law->mean) {
        double variance = log1p(sizes->cv * sizes->cv);
        *law = (struct lognormal){mean, log(mean) - variance / 2, sqrt(variance)};
    }
    return gsl_ran_lognormal(rng, law->log_scale, law->shape);
}

/* Work of a job with a model, from the law in reference GPU time or in samples. */
static void draw_work(const struct generator *g, struct job_spec *job) {
    const struct size_spec *sizes = &g->stream->sizes;
    const struct workload *workload = g->workload;
    job->work = 1; /* to learn the GPU time of one unit; the size says how many units there are */
    double unit_s = workload_reference_gpu_s(workload, job, 1);
    if (sizes_are_targets(sizes)) {
        double target = workload->table.models->models[job->model].samples_to_target;
        job->work = fmin(draw_size(g, target), TIME_MAX_S / unit_s);
        job->reference_gpu_s = job->work * unit_s;
    } else {
        job->reference_gpu_s = fmin(draw_size(g, sizes->mean_s), TIME_MAX_S);
        job->work = job->reference_gpu_s / unit_s;
    }
}

static void request_one_k(struct config_request *request, gsl_rng *rng) {
    request->k[0] = request->k[gsl_rng_uniform_int(rng, request->k_count)];
    request->k_count = 1;
}

/* Draws what a malleable job may take. Jobs of one model that choose nothing have one set. */
static uint32_t draw_set(const struct generator *g, uint32_t model) {
    if (g->stream->request.k != REQUEST_UNIFORM && g->sets[model] != EASIM_NONE)
        return g->sets[model];
    struct config_request request = stream_request(g->stream, model);
    if (g->stream->request.k == REQUEST_UNIFORM)
        request_one_k(&request, g->rngs->requests);
    g->sets[model] = config_table_set(&g->workload->table, &request);
    return g->sets[model];
}

static void draw_rigid(const struct generator *g, struct job_spec *job) {
    const struct stream *stream = g->stream;
    const int64_t *k = stream->rigid.k.at;
    struct config_request request = stream_request(stream, job->model);
    job->work = fmin(draw_size(g, stream->sizes.mean_s), TIME_MAX_S);
    request.k_count = 1;
    request.k[0] = (uint32_t)k[gsl_rng_uniform_int(g->rngs->models, stream->rigid.k.count)];
    request.batch_count = 0;
    job->reference_gpu_s = job->work * request.k[0];
    job->set = config_table_set(&g->workload->table, &request);
}

static void add_generated_job(const struct generator *g, int64_t submit_ns) {
    const struct stream *stream = g->stream;
    struct job_spec job = {.kind = stream->rigid.node ? JOB_KIND_RIGID : JOB_KIND_MALLEABLE,
                           .model = EASIM_NONE,
                           .submit_ns = submit_ns,
                           .deadline_ns = TIME_NONE_NS,
                           .preemptible = stream->preemptible};
    if (job.kind == JOB_KIND_RIGID) {
        draw_rigid(g, &job);
    } else {
        job.model = stream_draw_model(&stream->mix, g->rngs->models)->model_index;
        job.set = draw_set(g, job.model);
        draw_work(g, &job);
    }
    job.predicted_work = job.work;
    job.user = workload_user(g->workload, stream_draw_user(stream, g->rngs->users));
    stream_finish_job(stream, g->workload, &job, g->rngs);
    array_push(&g->workload->jobs, job);
}

void generated_jobs_add(const struct stream *stream, const struct stream_rngs *rngs,
                        struct workload *workload) {
    double rate_per_s = stream->kind == STREAM_PERIODIC ? 0 : arrivals_rate_per_s(stream, workload);
    double time_s = stream->start_s;
    uint32_t models = workload->table.models->count;
    struct lognormal lognormal = {.mean = NAN};
    struct generator g = {stream, rngs, workload, mem_zalloc(models, sizeof *g.sets), &lognormal};
    for (uint32_t m = 0; m < models; m++)
        g.sets[m] = EASIM_NONE;
    for (int64_t number = 0; number < stream->until_jobs; number++) {
        time_s = arrivals_next_s(stream, rate_per_s, time_s, (uint64_t)number, rngs->arrivals);
        if (time_s > TIME_MAX_S || units_ns(time_s) > stream->until_ns)
            break;
        add_generated_job(&g, units_ns(time_s));
    }
    free(g.sets);
}
