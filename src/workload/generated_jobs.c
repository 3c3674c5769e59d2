/* Generated jobs: sizes by a law in reference GPU time; when they arrive: arrivals.c. */
#include "workload/generated_jobs.h"

#include "base/units.h"
#include "workload/arrivals.h"

#include <gsl/gsl_randist.h>
#include <math.h>

/* In the unit of the mean. */
static double draw_size(const struct size_spec *sizes, double mean, gsl_rng *rng) {
    if (sizes->law == SIZE_CONSTANT)
        return mean;
    if (sizes->law == SIZE_EXPONENTIAL)
        return gsl_ran_exponential(rng, mean);
    double variance = log1p(sizes->cv * sizes->cv);
    return gsl_ran_lognormal(rng, log(mean) - variance / 2, sqrt(variance));
}

/* Work of a job with a model, from the law in reference GPU time or in samples. */
static void draw_work(const struct stream *stream, const struct stream_rngs *rngs,
                      const struct workload *workload, struct job_spec *job) {
    const struct size_spec *sizes = &stream->sizes;
    job->work = 1; /* to learn the GPU time of one unit; the size says how many units there are */
    double unit_s = workload_reference_gpu_s(workload, job, 1);
    if (sizes_are_targets(sizes)) {
        double target = workload->table.models->models[job->model].samples_to_target;
        job->work = fmin(draw_size(sizes, target, rngs->sizes), TIME_MAX_S / unit_s);
        job->reference_gpu_s = job->work * unit_s;
    } else {
        job->reference_gpu_s = fmin(draw_size(sizes, sizes->mean_s, rngs->sizes), TIME_MAX_S);
        job->work = job->reference_gpu_s / unit_s;
    }
}

static void request_one_k(struct config_request *request, gsl_rng *rng) {
    request->k[0] = request->k[gsl_rng_uniform_int(rng, request->k_count)];
    request->k_count = 1;
}

static void add_generated_job(const struct stream *stream, const struct stream_rngs *rngs,
                              struct workload *workload, int64_t submit_ns) {
    struct job_spec job = {.kind = stream->rigid.node ? JOB_KIND_RIGID : JOB_KIND_MALLEABLE,
                           .model = EASIM_NONE,
                           .submit_ns = submit_ns,
                           .deadline_ns = TIME_NONE_NS,
                           .preemptible = stream->preemptible};
    struct config_request request;
    if (job.kind == JOB_KIND_RIGID) {
        job.work = fmin(draw_size(&stream->sizes, stream->sizes.mean_s, rngs->sizes), TIME_MAX_S);
        const int64_t *k = stream->rigid.k.at;
        request = stream_request(stream, job.model);
        request.k_count = 1;
        request.k[0] = (uint32_t)k[gsl_rng_uniform_int(rngs->models, stream->rigid.k.count)];
        request.batch_count = 0;
        job.reference_gpu_s = job.work * request.k[0];
    } else {
        job.model = stream_draw_model(&stream->mix, rngs->models)->model_index;
        request = stream_request(stream, job.model);
        if (stream->request.k == REQUEST_UNIFORM)
            request_one_k(&request, rngs->requests);
        draw_work(stream, rngs, workload, &job);
    }
    job.predicted_work = job.work;
    job.user = workload_user(workload, stream_draw_user(stream, rngs->users));
    stream_finish_job(stream, workload, &request, &job, rngs->deadlines);
    array_push(&workload->jobs, job);
}

void generated_jobs_add(const struct stream *stream, const struct stream_rngs *rngs,
                        struct workload *workload) {
    double rate_per_s = stream->kind == STREAM_PERIODIC ? 0 : arrivals_rate_per_s(stream, workload);
    double time_s = stream->start_s;
    for (int64_t number = 0; number < stream->until_jobs; number++) {
        time_s = arrivals_next_s(stream, rate_per_s, time_s, (uint64_t)number, rngs->arrivals);
        if (time_s > TIME_MAX_S || units_ns(time_s) > stream->until_ns)
            break;
        add_generated_job(stream, rngs, workload, units_ns(time_s));
    }
}
