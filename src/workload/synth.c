/* Generated jobs: arrivals by a Poisson, periodic or diurnal process; sizes by a law in reference
 * GPU time. */
#include "workload/stream.h"

#include "base/units.h"

#include <gsl/gsl_randist.h>
#include <math.h>

/* Seconds of one whole-cluster second that an average job needs if every GPU works alone (k = 1):
   the load that one job per second would offer. */
static double load_of_one_per_s(const struct stream *s, const struct workload *w) {
    const struct cluster *cluster = w->table.cluster;
    if (s->rigid.node) {
        const int64_t *k = s->rigid.k.at;
        double sum = 0;
        uint32_t gpus = 0;
        for (size_t i = 0; i < s->rigid.k.count; i++)
            sum += (double)k[i];
        for (uint32_t h = 0; h < cluster->gpu_type_count; h++)
            gpus += s->type_mask == 0 || (s->type_mask >> h & 1) ? cluster->gpu_types[h].gpus : 0;
        return s->sizes.mean_s * sum / (double)s->rigid.k.count / gpus;
    }
    const struct mix_entry *mix = s->mix.at;
    double weights = 0, load = 0;
    for (size_t i = 0; i < s->mix.count; i++) {
        double speed = 0,
               reference = 0; /* of the cluster, and of the first type that runs the model */
        for (uint32_t h = 0; h < cluster->gpu_type_count; h++) {
            double goodput = config_table_unit_goodput(&w->table, mix[i].model_index, h);
            reference = reference > 0 ? reference : goodput;
            if (s->type_mask == 0 || (s->type_mask >> h & 1))
                speed += goodput * cluster->gpu_types[h].gpus;
        }
        weights += mix[i].weight;
        load += mix[i].weight * s->sizes.mean_s * reference / speed;
    }
    return load / weights;
}

double synth_rate_per_s(const struct stream *s, const struct workload *w) {
    return isnan(s->load) ? s->rate_per_s : s->load / load_of_one_per_s(s, w);
}

/* Seconds to the next arrival after time_s. Diurnal rates rate*(1 + amplitude*cos(2 pi (t -
   peak)/period)) by thinning (Lewis, Shedler 1979). */
static double next_arrival_s(const struct stream *s, double rate_per_s, double time_s,
                             uint64_t number, gsl_rng *rng) {
    if (s->kind == STREAM_PERIODIC)
        return s->start_s + (double)number * s->period_s;
    if (s->kind == STREAM_POISSON)
        return time_s + gsl_ran_exponential(rng, 1 / rate_per_s);
    double most = rate_per_s * (1 + s->amplitude);
    for (;;) {
        time_s += gsl_ran_exponential(rng, 1 / most);
        double now =
            rate_per_s * (1 + s->amplitude * cos(2 * M_PI * (time_s - s->peak_s) / s->period_s));
        if (gsl_rng_uniform(rng) * most < now)
            return time_s;
    }
}

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

static void add_job(const struct stream *s, const struct stream_rngs *rngs, struct workload *w,
                    int64_t submit_ns) {
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

void synth_generate(const struct stream *s, const struct stream_rngs *rngs, struct workload *w) {
    double rate_per_s = s->kind == STREAM_PERIODIC ? 0 : synth_rate_per_s(s, w);
    double time_s = s->start_s;
    for (int64_t number = 0; number < s->until_jobs; number++) {
        time_s = next_arrival_s(s, rate_per_s, time_s, (uint64_t)number, rngs->arrivals);
        if (time_s > TIME_MAX_S || units_ns(time_s) > s->until_ns)
            break;
        add_job(s, rngs, w, units_ns(time_s));
    }
}
