/* When generated jobs arrive: by a Poisson, periodic or diurnal process. */
#include "workload/arrivals.h"

#include "base/units.h"

#include <gsl/gsl_randist.h>
#include <math.h>

/* Seconds of one whole-cluster second that an average job needs if every GPU works as in the
   work unit of its type:
   the load that one job per second would offer. */
static double load_of_one_per_s(const struct stream *stream, const struct workload *workload) {
    const struct cluster *cluster = workload->table.cluster;
    if (stream->rigid.node) {
        const int64_t *k = stream->rigid.k.at;
        double sum = 0;
        uint32_t gpus = 0;
        for (size_t i = 0; i < stream->rigid.k.count; i++)
            sum += (double)k[i];
        for (uint32_t h = 0; h < cluster->gpu_type_count; h++)
            gpus += stream->type_mask == 0 || (stream->type_mask >> h & 1)
                        ? cluster->gpu_types[h].gpus
                        : 0;
        return stream->sizes.mean_s * sum / (double)stream->rigid.k.count / gpus;
    }
    const struct mix_entry *mix = stream->mix.at;
    double weights = 0, load = 0;
    for (size_t i = 0; i < stream->mix.count; i++) {
        const uint32_t model = mix[i].model_index;
        double speed = 0; /* of the cluster */
        for (uint32_t h = 0; h < cluster->gpu_type_count; h++)
            if (stream->type_mask == 0 || (stream->type_mask >> h & 1))
                speed += config_table_unit(&workload->table, model, h).goodput *
                         cluster->gpu_types[h].gpus;
        bool targets = sizes_are_targets(&stream->sizes);
        double mean = targets ? workload->table.models->models[model].samples_to_target
                              : stream->sizes.mean_s;
        double samples = targets ? 1 : config_table_reference(&workload->table, model).goodput;
        weights += mix[i].weight;
        load += mix[i].weight * mean * samples / speed;
    }
    return load / weights;
}

double arrivals_rate_per_s(const struct stream *stream, const struct workload *workload) {
    return isnan(stream->load) ? stream->rate_per_s
                               : stream->load / load_of_one_per_s(stream, workload);
}

/* Diurnal: rate (1 + amplitude cos(2 pi (t - peak) / period)) by thinning (Lewis, Shedler 1979). */
double arrivals_next_s(const struct stream *stream, double rate_per_s, double time_s,
                       uint64_t number, gsl_rng *rng) {
    if (stream->kind == STREAM_PERIODIC)
        return stream->start_s + (double)number * stream->period_s;
    if (stream->kind == STREAM_POISSON)
        return time_s + gsl_ran_exponential(rng, 1 / rate_per_s);
    double most = rate_per_s * (1 + stream->amplitude);
    for (;;) {
        time_s += gsl_ran_exponential(rng, 1 / most);
        double now =
            rate_per_s *
            (1 + stream->amplitude * cos(2 * M_PI * (time_s - stream->peak_s) / stream->period_s));
        if (gsl_rng_uniform(rng) * most < now)
            return time_s;
    }
}

/* How many jobs a stream is expected to have. A load that no rate can offer (no GPU runs the
   models) would make arrivals endless or none, and a rate far too high more jobs than there is
   memory. */
double arrivals_expect_jobs(const struct stream *stream, const struct workload *trial,
                            const struct binding *binding) {
    if (stream->kind == STREAM_TRACE)
        return (double)stream->trace.rows.count *
               (stream->perturb_node && !isnan(stream->perturb.load_scale)
                    ? stream->perturb.load_scale
                    : 1);
    double rate_per_s =
        stream->kind == STREAM_PERIODIC ? 1 / stream->period_s : arrivals_rate_per_s(stream, trial);
    double jobs = fmin((double)stream->until_jobs,
                       rate_per_s * (units_s(stream->until_ns) - stream->start_s));
    if (!(rate_per_s > 1e-12))
        problems_add(binding->problems, stream->where, "workload",
                     "no rate of arrivals offers this load: no GPU can run the jobs");
    else if (jobs > ARRIVALS_MOST_JOBS)
        problems_add(binding->problems, stream->where, "workload",
                     "expected arrivals of at most %.0f jobs, got about %g", ARRIVALS_MOST_JOBS,
                     jobs);
    return fmax(jobs, 0);
}
