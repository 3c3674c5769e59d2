/* Generated jobs: sizes by a law in reference GPU time; when they arrive: arrivals.c. */
#include "workload/generated_jobs.h"

#include "base/units.h"
#include "workload/arrivals.h"

#include <gsl/gsl_randist.h>
#include <math.h>

static double draw_size_s(const struct size_spec *sizes, gsl_rng *rng) {
    if (sizes->law == SIZE_CONSTANT)
        return sizes->mean_s;
    if (sizes->law == SIZE_EXPONENTIAL)
        return gsl_ran_exponential(rng, sizes->mean_s);
    double variance = log1p(sizes->cv * sizes->cv);
    return gsl_ran_lognormal(rng, log(sizes->mean_s) - variance / 2, sqrt(variance));
}

static void request_one_k(struct config_request *request, gsl_rng *rng) {
    request->k[0] = request->k[gsl_rng_uniform_int(rng, request->k_count)];
    request->k_count = 1;
}

static void add_generated_job(const struct stream *s, const struct stream_rngs *rngs,
                              struct workload *w, int64_t submit_ns) {
    struct job_spec job = {.kind = s->rigid.node ? JOB_KIND_RIGID : JOB_KIND_MALLEABLE,
                           .model = EASIM_NONE,
                           .submit_ns = submit_ns,
                           .deadline_ns = TIME_NONE_NS,
                           .preemptible = s->preemptible};
    struct config_request request;
    double size_s = fmin(draw_size_s(&s->sizes, rngs->sizes), TIME_MAX_S);
    job.work = size_s;
    if (job.kind == JOB_KIND_RIGID) {
        const int64_t *k = s->rigid.k.at;
        request = stream_request(s, job.model);
        request.k_count = 1;
        request.k[0] = (uint32_t)k[gsl_rng_uniform_int(rngs->models, s->rigid.k.count)];
        request.batch_count = 0;
        job.reference_gpu_s = size_s * request.k[0];
    } else {
        job.model = stream_draw_model(&s->mix, rngs->models)->model_index;
        request = stream_request(s, job.model);
        if (s->request.k == REQUEST_UNIFORM)
            request_one_k(&request, rngs->requests);
        job.work = 1; /* of which the size tells how many */
        job.work = size_s / workload_reference_gpu_s(w, &job, 1);
        job.reference_gpu_s = size_s;
    }
    job.predicted_work = job.work;
    job.user = workload_user(w, stream_draw_user(s, rngs->users));
    stream_finish_job(s, w, &request, &job, rngs->deadlines);
    array_push(&w->jobs, job);
}

void generated_jobs_add(const struct stream *s, const struct stream_rngs *rngs,
                        struct workload *w) {
    double rate_per_s = s->kind == STREAM_PERIODIC ? 0 : arrivals_rate_per_s(s, w);
    double time_s = s->start_s;
    for (int64_t number = 0; number < s->until_jobs; number++) {
        time_s = arrivals_next_s(s, rate_per_s, time_s, (uint64_t)number, rngs->arrivals);
        if (time_s > TIME_MAX_S || units_ns(time_s) > s->until_ns)
            break;
        add_generated_job(s, rngs, w, units_ns(time_s));
    }
}
