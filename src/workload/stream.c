/* Draws and limits that generated and recorded jobs share. */
#include "workload/stream.h"

#include "base/units.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct stream_rngs stream_open_rngs(uint64_t seed, uint32_t replication, size_t stream) {
    static const char *const names[] = {"arrivals",  "models",   "sizes",  "users",
                                        "deadlines", "requests", "perturb"};
    gsl_rng *rngs[7];
    for (int i = 0; i < 7; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s/%zu", names[i], stream);
        rngs[i] = rng_create(seed, replication, name);
    }
    return (struct stream_rngs){rngs[0], rngs[1], rngs[2], rngs[3], rngs[4], rngs[5], rngs[6]};
}

void stream_close_rngs(struct stream_rngs *rngs) {
    gsl_rng_free(rngs->arrivals);
    gsl_rng_free(rngs->models);
    gsl_rng_free(rngs->sizes);
    gsl_rng_free(rngs->users);
    gsl_rng_free(rngs->deadlines);
    gsl_rng_free(rngs->requests);
    gsl_rng_free(rngs->perturb);
}

const struct mix_entry *stream_draw_model(const struct schema_list *mix, gsl_rng *rng) {
    const struct mix_entry *entries = mix->at;
    double total = 0, at = gsl_rng_uniform(rng);
    for (size_t i = 0; i < mix->count; i++)
        total += entries[i].weight;
    at *= total;
    for (size_t i = 0; i + 1 < mix->count; i++) {
        at -= entries[i].weight;
        if (at < 0)
            return &entries[i];
    }
    return &entries[mix->count - 1];
}

const char *stream_draw_user(const struct stream *stream, gsl_rng *rng) {
    const char *const *names = stream->user_names.at;
    return names[gsl_rng_uniform_int(rng, stream->user_names.count)];
}

double stream_draw_batch(const struct schema_list *batches, gsl_rng *rng) {
    const double *values = batches->at;
    return batches->count > 0 ? values[gsl_rng_uniform_int(rng, batches->count)] : 0;
}

uint64_t stream_type_mask(const struct cluster *cluster, const char *names, struct slice *unknown) {
    uint64_t mask = 0;
    *unknown = (struct slice){0};
    for (const char *at = names; *at; at += at[0] == '|') {
        size_t length = strcspn(at, "|");
        for (uint32_t h = 0; h <= cluster->gpu_type_count && length > 0; h++)
            if (h == cluster->gpu_type_count) {
                if (!unknown->at)
                    *unknown = (struct slice){at, length};
            } else if (slice_is((struct slice){at, length}, cluster->gpu_types[h].name)) {
                mask |= 1ull << h;
                break;
            }
        at += length;
    }
    return mask;
}

int64_t stream_draw_deadline(const struct deadline_spec *spec, int64_t submit_ns,
                             double time_best_s, gsl_rng *rng) {
    double share = gsl_rng_uniform(rng), place = gsl_rng_uniform(rng);
    if (!(share < spec->share) || !isfinite(time_best_s))
        return TIME_NONE_NS;
    const double *slack = spec->slack.at;
    double after_s = time_best_s * (slack[0] + place * (slack[1] - slack[0]));
    return after_s > TIME_MAX_S ? TIME_NONE_NS : submit_ns + units_ns(after_s);
}

static uint32_t copy_limits(const struct schema_list *list, uint32_t *out) {
    const int64_t *values = list->at;
    for (size_t i = 0; i < list->count; i++)
        out[i] = (uint32_t)values[i];
    return (uint32_t)list->count;
}

struct config_request stream_request(const struct stream *stream, uint32_t model) {
    static const uint32_t usual_k[] = {1, 2, 4, 8};
    struct config_request q = {
        .kind = job_kind_of_model(model), .model = model, .type_mask = stream->type_mask};
    q.utilization = q.kind == JOB_KIND_RIGID ? stream->rigid.utilization : 0;
    q.k_count = copy_limits(&stream->k, q.k);
    if (q.k_count == 0) {
        q.k_count = sizeof usual_k / sizeof *usual_k;
        for (uint32_t i = 0; i < q.k_count; i++)
            q.k[i] = usual_k[i];
    }
    q.batch_count = (uint32_t)stream->b.count;
    if (q.batch_count > 0)
        memcpy(q.batch, stream->b.at, q.batch_count * sizeof *q.batch);
    return q;
}

void stream_finish_job(const struct stream *stream, const struct workload *workload,
                       struct job_spec *job, gsl_rng *deadlines) {
    double start_s = workload_costs(workload, job)->start_s;
    double best_s = config_table_best_s(&workload->table, job->set, job->predicted_work, start_s);
    int64_t drawn_ns = stream_draw_deadline(&stream->deadlines, job->submit_ns, best_s, deadlines);
    if (job->deadline_ns == TIME_NONE_NS)
        job->deadline_ns = drawn_ns;
    job->sla = job->sla || job->deadline_ns != TIME_NONE_NS;
}
