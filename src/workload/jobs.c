/* Jobs of a scenario: see jobs.h. */
#include "workload/jobs.h"

#include "base/numfmt.h"
#include "base/rng.h"
#include "base/units.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* --- users --- */

/* By the place of the name: all names stay where they are while jobs are made. */
struct known_user {
    const char *name; /* NULL: none yet */
    uint32_t user;
};

#define KNOWN_USERS 256

static uint32_t user_of(struct workload *workload, struct known_user *known, const char *name) {
    known += (uintptr_t)name * 0x9e3779b97f4a7c15 >> 56;
    if (known->name != name)
        *known = (struct known_user){name, workload_user(workload, name)};
    return known->user;
}

/* --- generated_jobs: sizes by a law in reference GPU time; when they arrive: stream.c --- */

/* The lognormal law of a mean. */
struct lognormal {
    double mean, log_scale, shape; /* mean NaN: not worked out yet */
};

struct generator {
    const struct stream *stream;
    const struct stream_rngs *rngs;
    struct workload *workload;
    uint32_t *sets;             /* by model, that of its last job; EASIM_NONE: none yet */
    struct lognormal lognormal; /* of the last job */
    struct known_user users[KNOWN_USERS];
    double rate_per_s, time_s; /* time: of the last arrival */
    int64_t number;            /* of jobs that have arrived */
};

/* In the unit of the mean. */
static double draw_size(struct generator *g, double mean) {
    const struct size_spec *sizes = &g->stream->sizes;
    struct lognormal *law = &g->lognormal;
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
static void draw_work(struct generator *g, struct job_spec *job) {
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
static uint32_t draw_set(struct generator *g, uint32_t model) {
    if (g->stream->request.k != REQUEST_UNIFORM && g->sets[model] != EASIM_NONE)
        return g->sets[model];
    struct config_request request = stream_request(g->stream, model);
    if (g->stream->request.k == REQUEST_UNIFORM)
        request_one_k(&request, g->rngs->requests);
    g->sets[model] = config_table_set(&g->workload->table, &request);
    return g->sets[model];
}

static void draw_rigid(struct generator *g, struct job_spec *job) {
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

static struct job_spec generated_job(struct generator *g, int64_t submit_ns) {
    const struct stream *stream = g->stream;
    struct job_spec job = {.kind = stream->rigid.node ? JOB_KIND_RIGID : JOB_KIND_MALLEABLE,
                           .model = EASIM_NONE,
                           .submit_ns = submit_ns,
                           .deadline_ns = TIME_NONE_NS,
                           .flex = NAN,
                           .preemptible = stream->preemptible};
    if (job.kind == JOB_KIND_RIGID) {
        draw_rigid(g, &job);
    } else {
        job.model = stream_draw_model(&stream->mix, g->rngs->models)->model_index;
        job.set = draw_set(g, job.model);
        draw_work(g, &job);
    }
    job.predicted_work = job.work;
    job.user = user_of(g->workload, g->users, stream_draw_user(stream, g->rngs->users));
    stream_finish_job(stream, g->workload, &job, g->rngs);
    return job;
}

static struct generator generator_of(const struct stream *stream, const struct stream_rngs *rngs,
                                     struct workload *workload) {
    uint32_t models = workload->table.models->count;
    struct generator g = {.stream = stream,
                          .rngs = rngs,
                          .workload = workload,
                          .sets = mem_alloc(models * sizeof *g.sets),
                          .lognormal = {.mean = NAN},
                          .time_s = stream->start_s};
    if (stream->kind != STREAM_PERIODIC)
        g.rate_per_s = arrivals_rate_per_s(stream, workload);
    for (uint32_t m = 0; m < models; m++)
        g.sets[m] = EASIM_NONE;
    return g;
}

/* When the next job arrives; TIME_NONE_NS: none does. */
static int64_t next_arrival_ns(struct generator *g, gsl_rng *rng) {
    if (g->number >= g->stream->until_jobs)
        return TIME_NONE_NS;
    g->time_s = arrivals_next_s(g->stream, g->rate_per_s, g->time_s, (uint64_t)g->number++, rng);
    if (g->time_s > TIME_MAX_S || units_ns(g->time_s) > g->stream->until_ns)
        return TIME_NONE_NS;
    return units_ns(g->time_s);
}

void generated_jobs_add(const struct stream *stream, const struct stream_rngs *rngs,
                        struct workload *workload) {
    struct generator g = generator_of(stream, rngs, workload);
    for (;;) {
        int64_t submit_ns = next_arrival_ns(&g, rngs->arrivals);
        if (submit_ns == TIME_NONE_NS)
            break;
        array_push(&workload->jobs, generated_job(&g, submit_ns));
    }
    free(g.sets);
}

/* --- jobs_to_come --- */
/* One ahead of the arrivals. How many there will be, and when, depends on a generator of its own,
   so a copy of it counts them. */

#define AT_ONCE \
    512 /* many one after the other are made faster, and their memory is whole pages \
         */

struct jobs_to_come {
    struct generator generator;
    struct stream_rngs rngs;
    uint32_t made;
    struct mem_blocks jobs, names;
    char (*ids)[16]; /* by job: its number, from 1 */
};

static uint32_t count_arrivals(const struct generator *begin) {
    struct generator g = *begin;
    gsl_rng *rng = gsl_rng_clone(begin->rngs->arrivals);
    uint32_t count = 0;
    while (next_arrival_ns(&g, rng) != TIME_NONE_NS)
        count++;
    gsl_rng_free(rng);
    return count;
}

/* Whether users and table have whoever and whatever the jobs to come may draw. */
static bool has_all_choices(const struct generator *g) {
    const struct stream *stream = g->stream;
    const struct workload *w = g->workload;
    const struct mix_entry *mix = stream->mix.at;
    const char *const *names = stream->user_names.at;
    size_t choices = stream->rigid.node ? stream->rigid.k.count : 0, user = 0;
    for (size_t i = 0; i < stream->mix.count && !stream->rigid.node; i++)
        choices += stream->request.k == REQUEST_UNIFORM
                       ? stream_request(stream, mix[i].model_index).k_count
                       : 1;
    for (size_t i = 0; i < w->table.sets.count; i++)
        choices -= w->table.sets.at[i].request->phase == 0;
    while (user < stream->user_names.count &&
           intern_find(&w->user_names, names[user], strlen(names[user])) != INTERN_NONE)
        user++;
    return choices == 0 && user == stream->user_names.count;
}

static void make_next(struct jobs_to_come *c) {
    struct job_spec *job = &c->generator.workload->jobs.at[c->made];
    *job = generated_job(&c->generator, next_arrival_ns(&c->generator, c->rngs.arrivals));
    char number[NUMFMT_BYTES];
    job->id = memcpy(c->ids[c->made], number, numfmt_int(number, c->made + 1) + 1);
    c->made++;
}

void generated_jobs_await(const struct stream *stream, struct stream_rngs *rngs,
                          struct workload *workload) {
    struct jobs_to_come *c = mem_zalloc(1, sizeof *c);
    c->rngs = *rngs;
    c->generator = generator_of(stream, &c->rngs, workload);
    uint32_t count = count_arrivals(&c->generator);
    workload->to_come = c;
    workload->jobs.at = mem_blocks_init(&c->jobs, count, sizeof *workload->jobs.at);
    workload->jobs.count = workload->jobs.capacity = count;
    c->ids = mem_blocks_init(&c->names, count, sizeof *c->ids);
    /* asked at powers of two, for it costs a look at all choices */
    while (c->made < count && ((c->made & (c->made - 1)) > 0 || !has_all_choices(&c->generator)))
        make_next(c);
}

void jobs_to_come_make(const struct workload *workload, uint32_t job) {
    struct jobs_to_come *c = workload->to_come;
    if (!c || job < c->made)
        return;
    do
        make_next(c);
    while (c->made < workload->jobs.count && c->made % AT_ONCE > 0);
}

void jobs_to_come_forget(const struct workload *workload, uint32_t from, uint32_t end) {
    struct jobs_to_come *c = workload->to_come;
    if (!c)
        return;
    mem_blocks_give_back(&c->jobs, from, end, c->made);
    mem_blocks_give_back(&c->names, from, end, c->made);
}

void jobs_to_come_finish(struct jobs_to_come *to_come) {
    if (!to_come)
        return;
    to_come->generator.workload->jobs.at = NULL;
    free(to_come->generator.sets);
    mem_blocks_finish(&to_come->jobs);
    mem_blocks_finish(&to_come->names);
    stream_close_rngs(&to_come->rngs);
    free(to_come);
}

/* --- recorded_jobs --- */
/* Rows of a trace; models, users and deadlines as they were, or assigned from the seed. */

/* Goodput of the request a row was recorded with: its k, its batch or the best one, its GPU type or
   the first that the model knows. 0 if it cannot have run. */
static double recorded_goodput(struct workload *workload, const struct config_request *request,
                               uint32_t k) {
    struct config_request fixed = *request;
    fixed.k_count = 1;
    fixed.k[0] = k;
    uint32_t set_number = config_table_set(&workload->table, &fixed);
    const struct config_set *set = &workload->table.sets.at[set_number];
    double best = 0;
    for (uint32_t i = set->first; i < set->first + set->count; i++) {
        const struct easim_config *c = &workload->table.configs.at[i];
        if (c->gpu_type == workload->table.configs.at[set->first].gpu_type)
            best = fmax(best, c->goodput[c->empty_span]);
    }
    return best;
}

struct config_request recorded_jobs_request(const struct stream *stream,
                                            const struct cluster *cluster,
                                            const struct trace_row *row, uint32_t model,
                                            double batch) {
    struct config_request q = stream_request(stream, model);
    if (row->gpus > 0) {
        q.k_count = 1;
        q.k[0] = row->gpus;
    }
    if (batch > 0) {
        q.batch_count = 1;
        q.batch[0] = batch;
    }
    struct slice unknown;
    if (row->gpu_type)
        q.type_mask = stream_type_mask(cluster, row->gpu_type, &unknown);
    if (q.kind == JOB_KIND_RIGID && !isnan(row->utilization))
        q.utilization = row->utilization;
    if (q.kind == JOB_KIND_RIGID && row->gpu_milli < WHOLE_GPU_MILLI)
        q.milli = row->gpu_milli;
    return q;
}

/* The model of a row: its own, or one drawn; it always draws, so rows are independent. */
static uint32_t row_model(const struct stream *stream, const struct workload *workload,
                          const struct trace_row *row, gsl_rng *rng) {
    uint32_t own =
        row->model ? (uint32_t)model_set_find(workload->table.models, row->model) : EASIM_NONE;
    if (stream->assign.models.count == 0)
        return own;
    uint32_t drawn = stream_draw_model(&stream->assign.models, rng)->model_index;
    return own == EASIM_NONE || stream->assign.overwrite ? drawn : own;
}

/* Rows of one stream, on their way into a workload. */
struct recording {
    const struct stream *stream;
    const struct stream_rngs *rngs;
    struct workload *workload;
    /* The last rigid row with so many GPUs, and what became of it: many rows ask for the same. */
    struct seen_row {
        const struct trace_row *row; /* NULL: none yet */
        double batch, gpus;
        uint32_t set;
    } seen[64];
    struct known_user users[KNOWN_USERS];
};

static double gpus_of(const struct config_request *request) {
    return request->milli > 0 ? (double)request->milli / WHOLE_GPU_MILLI : request->k[0];
}

static bool asks_the_same(const struct seen_row *seen, const struct trace_row *row, double batch) {
    const struct trace_row *other = seen->row;
    return other && other->gpus == row->gpus && other->gpu_milli == row->gpu_milli &&
           other->gpu_type == row->gpu_type && seen->batch == batch &&
           (other->utilization == row->utilization ||
            (isnan(other->utilization) && isnan(row->utilization)));
}

/* Its work and its configurations; returns its GPUs. */
static double set_rigid(struct recording *recording, const struct trace_row *row, double batch,
                        struct job_spec *job) {
    struct seen_row *seen =
        &recording->seen[row->gpus % (sizeof recording->seen / sizeof *recording->seen)];
    struct workload *workload = recording->workload;
    job->utilization = row->steps;
    workload->has_utilization = workload->has_utilization || job->utilization;
    job->work = row->duration_s;
    job->predicted_work = isnan(row->requested_s) ? row->duration_s : row->requested_s;
    if (!asks_the_same(seen, row, batch)) {
        struct config_request request = recorded_jobs_request(
            recording->stream, workload->table.cluster, row, job->model, batch);
        *seen = (struct seen_row){row, batch, gpus_of(&request),
                                  config_table_set(&workload->table, &request)};
    }
    job->set = seen->set;
    return seen->gpus;
}

/* Likewise, with the work as it was recorded. A malleable job keeps that work, but may have any
   request that its stream allows. */
static double set_modelled(struct recording *recording, const struct trace_row *row, double batch,
                           bool malleable, struct job_spec *job) {
    struct workload *workload = recording->workload;
    struct config_request request =
        recorded_jobs_request(recording->stream, workload->table.cluster, row, job->model, batch);
    double recorded =
        isnan(row->work_samples) ? recorded_goodput(workload, &request, row->gpus) : 1;
    job->work = isnan(row->work_samples) ? row->duration_s * recorded : row->work_samples;
    job->predicted_work = job->work;
    if (malleable && recorded > 0)
        request = stream_request(recording->stream, job->model);
    job->set = config_table_set(&workload->table, &request);
    return gpus_of(&request);
}

static void add_recorded_job(struct recording *recording, const struct trace_row *row) {
    const struct stream *stream = recording->stream;
    const struct stream_rngs *rngs = recording->rngs;
    struct workload *workload = recording->workload;
    struct job_spec job = {.id = row->id,
                           .labels = row->labels,
                           .submit_ns = row->submit_ns,
                           .deadline_ns = TIME_NONE_NS,
                           .flex = row->flex,
                           .preemptible = stream->preemptible};
    job.model = row_model(stream, workload, row, rngs->models);
    job.kind = job_kind_of_model(job.model);
    bool malleable = gsl_rng_uniform(rngs->models) < stream->assign.malleable_share;
    double drawn_batch = stream_draw_batch(&stream->assign.batches, rngs->models);
    double batch =
        row->batch > 0 && !(drawn_batch > 0 && stream->assign.overwrite) ? row->batch : drawn_batch;
    double gpus = job.kind == JOB_KIND_RIGID ? set_rigid(recording, row, batch, &job)
                                             : set_modelled(recording, row, batch, malleable, &job);
    job.reference_gpu_s = workload_reference_gpu_s(workload, &job, gpus);
    const char *drawn_user = stream_draw_user(stream, rngs->users);
    bool own_user = row->user && !(stream->assign.overwrite && stream->users);
    job.user = user_of(workload, recording->users, own_user ? row->user : drawn_user);
    if (!isnan(row->deadline_s) && !(stream->assign.overwrite && stream->deadlines.share > 0))
        job.deadline_ns = units_ns(row->deadline_s);
    if (stream->assign.overwrite && stream->flex.count > 0)
        job.flex = NAN;
    stream_finish_job(stream, workload, &job, rngs);
    if (row->class != TRACE_CLASS_ABSENT)
        job.sla = row->class == TRACE_CLASS_SLA;
    array_push(&workload->jobs, job);
}

void recorded_jobs_add(const struct stream *stream, const struct stream_rngs *rngs,
                       struct workload *workload) {
    struct trace drawn = {.rows_read = 0};
    const struct trace *trace = stream->perturb_node ? &drawn : &stream->trace;
    if (stream->perturb_node)
        trace_perturb_draw(&stream->perturb, &stream->trace, rngs->perturb, &drawn);
    struct recording recording = {.stream = stream, .rngs = rngs, .workload = workload};
    for (size_t i = 0; i < trace->rows.count; i++) {
        const struct trace_row *row = &trace->rows.at[i];
        if (row->submit_ns > stream->until_ns || (int64_t)i >= stream->until_jobs)
            break;
        add_recorded_job(&recording, row);
    }
    arena_adopt(&workload->arena, &drawn.arena); /* ids */
    trace_finish(&drawn);
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
