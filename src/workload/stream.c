/* Draws and limits that generated and recorded jobs share. */
#include "workload/stream.h"

#include "base/units.h"

#include <gsl/gsl_randist.h>
#include <stdio.h>
#include <string.h>

struct stream_rngs stream_open_rngs(uint64_t seed, uint32_t replication, size_t stream) {
    static const char *const names[] = {"arrivals", "models",  "sizes",    "users", "deadlines",
                                        "requests", "perturb", "estimate", "flex"};
    gsl_rng *rngs[sizeof names / sizeof *names];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s/%zu", names[i], stream);
        rngs[i] = rng_create(seed, replication, name);
    }
    return (struct stream_rngs){rngs[0], rngs[1], rngs[2], rngs[3], rngs[4],
                                rngs[5], rngs[6], rngs[7], rngs[8]};
}

void stream_close_rngs(struct stream_rngs *rngs) {
    gsl_rng_free(rngs->arrivals);
    gsl_rng_free(rngs->models);
    gsl_rng_free(rngs->sizes);
    gsl_rng_free(rngs->users);
    gsl_rng_free(rngs->deadlines);
    gsl_rng_free(rngs->requests);
    gsl_rng_free(rngs->perturb);
    gsl_rng_free(rngs->estimate);
    gsl_rng_free(rngs->flex);
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
    q.changes = q.kind == JOB_KIND_RIGID && stream->utilization_path;
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

/* ---- Estimates ---- */

const struct field estimate_fields[] = {
    {"factor", .type = FIELD_NODE, REQUIRED,
     ONE_OF({"", .type = FIELD_REAL, ABOVE(0, 1e9)}, {"", OBJECT_FORM(value_laws), .max = 1}),
     HELP("estimate / run time: of all jobs, or a law from which each job draws its own")},
    FIELDS_END};

void stream_bind_estimate(struct estimate_spec *estimate, const char *path,
                          const struct binding *binding) {
    const struct yaml_node *node = estimate->node, *factor = NULL;
    bool is_word = node && node->kind == YAML_NODE_SCALAR;
    int r = 0;
    if (is_word && strcmp(node->text, "run") == 0) {
        estimate->kind = ESTIMATE_RUN;
    } else if (node && node->kind == YAML_NODE_MAPPING) {
        estimate->kind = ESTIMATE_FACTOR;
        r = schema_bind(binding, estimate_fields, node, path, &factor);
        if (r == 0)
            r = value_law_bind_positive(&estimate->factor, factor,
                                        arena_printf(binding->arena, "%s.factor", path), binding);
    } else if (node && !(is_word && strcmp(node->text, "requested") == 0)) {
        r = schema_wrong(binding, node, path, "requested, run or {factor: LAW}");
    }
    (void)r; /* the problems say it */
}

void stream_write_estimate(const struct estimate_spec *estimate, struct str *out) {
    static const char *const texts[] = {[ESTIMATE_REQUESTED] = "requested",
                                        [ESTIMATE_RUN] = "run",
                                        [ESTIMATE_FACTOR] = "{factor: "};
    str_add(out, texts[estimate->kind]);
    if (estimate->kind == ESTIMATE_FACTOR) {
        value_law_write_positive(&estimate->factor, out);
        str_add_char(out, '}');
    }
}

/* Jobs with a model draw, too, so that none changes what the next one gets. */
static void estimate_job(const struct estimate_spec *estimate, struct job_spec *job, gsl_rng *rng) {
    double factor =
        estimate->kind == ESTIMATE_FACTOR ? value_law_draw_positive(&estimate->factor, rng) : 1;
    if (job->kind != JOB_KIND_RIGID || estimate->kind == ESTIMATE_REQUESTED)
        return;
    job->predicted_work = job->work;
    if (estimate->kind == ESTIMATE_FACTOR)
        job->predicted_work = units_s(units_ns(fmin(job->work * factor, TIME_MAX_S)));
}

static bool is_constant_one(const struct value_law *law) {
    return law->numbers.count == 1 && *(const double *)law->numbers.at == 1;
}

struct estimate_facts stream_estimate_facts(const struct stream *stream) {
    struct estimate_facts facts = {.rigid = stream->rigid.node != NULL};
    facts.modelled = stream->kind != STREAM_TRACE && !facts.rigid;
    for (size_t i = 0; i < stream->trace.rows.count; i++) {
        const struct trace_row *row = &stream->trace.rows.at[i];
        bool modelled = row->model || stream->assign.models.count > 0;
        facts.rigid |= !modelled;
        facts.modelled |= modelled;
        facts.requested |=
            !modelled && !isnan(row->requested_s) && row->requested_s != row->duration_s;
    }
    facts.differ = stream->estimate.kind == ESTIMATE_REQUESTED ? facts.requested
                   : stream->estimate.kind == ESTIMATE_FACTOR
                       ? facts.rigid && !is_constant_one(&stream->estimate.factor)
                       : false;
    return facts;
}

/* ---- A job as a whole ---- */

/* 0, without a draw, if there are no shares. */
static double draw_flex(const struct schema_list *shares, gsl_rng *rng) {
    if (shares->count == 0)
        return 0;
    const struct flex_share *at = shares->at, *last = at + shares->count - 1;
    double place = gsl_rng_uniform(rng);
    for (; at < last && place >= at->share; at++)
        place -= at->share;
    return at->flex;
}

/* Deadlines come from the time that was requested, whatever policies take for it. */
void stream_finish_job(const struct stream *stream, const struct workload *workload,
                       struct job_spec *job, const struct stream_rngs *rngs) {
    double start_s = workload_costs(workload, job)->start_s;
    double best_s = config_table_best_s(&workload->table, job->set, job->predicted_work, start_s);
    int64_t drawn_ns =
        stream_draw_deadline(&stream->deadlines, job->submit_ns, best_s, rngs->deadlines);
    if (job->deadline_ns == TIME_NONE_NS)
        job->deadline_ns = drawn_ns;
    job->sla = job->sla || job->deadline_ns != TIME_NONE_NS;
    estimate_job(&stream->estimate, job, rngs->estimate);
    double drawn_flex = draw_flex(&stream->flex, rngs->flex);
    if (isnan(job->flex))
        job->flex = drawn_flex;
}

/* --- arrivals --- */

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
