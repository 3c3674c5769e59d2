/* Jobs of a scenario: see jobs.h. */
#include "workload/jobs.h"

#include "base/numfmt.h"
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

static struct job_spec begin_recorded_job(const struct stream *stream,
                                          const struct trace_row *row) {
    return (struct job_spec){.id = row->id,
                             .labels = row->labels,
                             .submit_ns = row->submit_ns,
                             .deadline_ns = TIME_NONE_NS,
                             .flex = row->flex,
                             .preemptible = stream->preemptible};
}

static void add_recorded_job(struct recording *recording, const struct trace_row *row) {
    const struct stream *stream = recording->stream;
    const struct stream_rngs *rngs = recording->rngs;
    struct workload *workload = recording->workload;
    struct job_spec job = begin_recorded_job(stream, row);
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

/* Of the log up to the limits of the stream. */
static uint32_t count_rows(const struct stream *stream, const struct trace *trace) {
    uint32_t count = 0;
    while (count < trace->rows.count && trace->rows.at[count].submit_ns <= stream->until_ns &&
           count < stream->until_jobs)
        count++;
    return count;
}

void recorded_jobs_add(const struct stream *stream, const struct stream_rngs *rngs,
                       struct workload *workload) {
    struct trace drawn = {.rows_read = 0};
    const struct trace *trace = stream->perturb_node ? &drawn : &stream->trace;
    if (stream->perturb_node)
        trace_perturb_draw(&stream->perturb, &stream->trace, rngs->perturb, &drawn);
    struct recording recording = {.stream = stream, .rngs = rngs, .workload = workload};
    for (uint32_t i = 0, count = count_rows(stream, trace); i < count; i++)
        add_recorded_job(&recording, &trace->rows.at[i]);
    arena_adopt(&workload->arena, &drawn.arena); /* ids */
    trace_finish(&drawn);
}

/* --- jobs_to_come --- */
/* One ahead of the arrivals, the next of all streams. How many a generated stream will have, and
   when, depends on a generator of its own, so a copy of it counts them. A log is read at first as
   far as users and table need it; its rows tell the rest. */

#define AT_ONCE 256 /* many one after the other are made faster */

/* What a row of a log needs a look at users and table for. */
struct row_choice {
    uint32_t set, model, user;
};

struct coming {
    const struct stream *stream;
    struct stream_rngs rngs;
    struct generator generator; /* of a stream that is generated */
    struct row_choice *rows;    /* of a log */
    uint32_t count, made;
    int64_t next_ns; /* when the next of its jobs arrives; TIME_NONE_NS: there is none */
};

struct jobs_to_come {
    struct workload *workload;
    struct coming *streams;
    size_t count, id_bytes; /* of streams; room for an id that is no row's */
    uint32_t made;
    struct mem_blocks jobs, ids;
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

/* Whether users have whoever the jobs of the stream may draw, and `sets` of them, of which there
   are `seen`, are all that they may. */
static bool has_all_choices(const struct generator *g, size_t seen) {
    const struct stream *stream = g->stream;
    const struct mix_entry *mix = stream->mix.at;
    const char *const *names = stream->user_names.at;
    const struct intern *users = &g->workload->user_names;
    size_t choices = stream->rigid.node ? stream->rigid.k.count : 0, user = 0;
    for (size_t i = 0; i < stream->mix.count && !stream->rigid.node; i++)
        choices += stream->request.k == REQUEST_UNIFORM
                       ? stream_request(stream, mix[i].model_index).k_count
                       : 1;
    while (user < stream->user_names.count &&
           intern_find(users, names[user], strlen(names[user])) != INTERN_NONE)
        user++;
    return choices == seen && user == stream->user_names.count;
}

/* Makes jobs, and drops them, until users and table have all that the stream may draw, in the order
   in which they come up. */
static void draw_choices(struct generator *g) {
    uint32_t made = 0;
    size_t seen = 0;
    ARRAY_OF(bool) sets = {0};
    int64_t submit_ns;
    /* asked at powers of two, for it costs a look at all choices */
    while (((made & (made - 1)) > 0 || !has_all_choices(g, seen)) &&
           (submit_ns = next_arrival_ns(g, g->rngs->arrivals)) != TIME_NONE_NS) {
        uint32_t set = generated_job(g, submit_ns).set;
        while (sets.count <= set)
            array_push(&sets, false);
        seen += !sets.at[set];
        sets.at[set] = true;
        made++;
    }
    free(sets.at);
}

/* --- logs --- */

static void choose_of_row(struct recording *recording, const struct trace_row *row,
                          struct row_choice *choice) {
    const struct stream *stream = recording->stream;
    struct job_spec job = {.model = row_model(stream, recording->workload, row, NULL)};
    if (job_kind_of_model(job.model) == JOB_KIND_RIGID)
        set_rigid(recording, row, row->batch, &job);
    else
        set_modelled(recording, row, row->batch, false, &job);
    const char *drawn_user = stream_draw_user(stream, recording->rngs->users);
    job.user = user_of(recording->workload, recording->users, row->user ? row->user : drawn_user);
    *choice = (struct row_choice){job.set, job.model, job.user};
}

/* As add_recorded_job, of a stream that draws nothing but users. */
static struct job_spec job_of_row(const struct coming *s, const struct workload *workload) {
    const struct trace_row *row = &s->stream->trace.rows.at[s->made];
    struct job_spec job = begin_recorded_job(s->stream, row);
    const struct row_choice *choice = &s->rows[s->made];
    job.model = choice->model;
    job.kind = job_kind_of_model(job.model);
    job.set = choice->set;
    job.user = choice->user;
    job.work = job.predicted_work = row->work_samples;
    if (job.kind == JOB_KIND_RIGID) {
        job.utilization = row->steps;
        job.work = row->duration_s;
        job.predicted_work = isnan(row->requested_s) ? row->duration_s : row->requested_s;
    }
    bool is_part = row->gpu_milli % WHOLE_GPU_MILLI > 0;
    job.reference_gpu_s = workload_reference_gpu_s(
        workload, &job, is_part ? (double)row->gpu_milli / WHOLE_GPU_MILLI : row->gpus);
    if (!isnan(row->deadline_s))
        job.deadline_ns = units_ns(row->deadline_s);
    job.sla = row->class == TRACE_CLASS_ABSENT ? job.deadline_ns != TIME_NONE_NS
                                               : row->class == TRACE_CLASS_SLA;
    job.flex = isnan(job.flex) ? 0 : job.flex;
    return job;
}

/* --- all streams --- */

static void look_ahead(struct coming *s) {
    if (s->rows)
        s->next_ns =
            s->made < s->count ? s->stream->trace.rows.at[s->made].submit_ns : TIME_NONE_NS;
    else
        s->next_ns = next_arrival_ns(&s->generator, s->rngs.arrivals);
}

/* Of several streams as in source.c. */
static void name_job(const struct jobs_to_come *c, const struct coming *s, struct job_spec *job) {
    char number[NUMFMT_BYTES], *id = c->ids.at + (size_t)c->made * c->id_bytes;
    if (job->id && c->count == 1)
        return;
    number[numfmt_int(number, (int64_t)s->made + 1)] = 0;
    if (c->count > 1)
        snprintf(id, c->id_bytes, "%s-%s", s->stream->name, job->id ? job->id : number);
    else
        strcpy(id, number);
    job->id = id;
}

/* Of those that come at the same time the one of the first stream. */
static void make_next(struct jobs_to_come *c) {
    struct coming *s = c->streams;
    for (struct coming *other = s + 1; other < c->streams + c->count; other++)
        if (other->next_ns != TIME_NONE_NS &&
            (s->next_ns == TIME_NONE_NS || other->next_ns < s->next_ns))
            s = other;
    struct job_spec *job = &c->workload->jobs.at[c->made];
    *job = s->rows ? job_of_row(s, c->workload) : generated_job(&s->generator, s->next_ns);
    name_job(c, s, job);
    s->made++;
    c->made++;
    look_ahead(s);
}

static size_t longest_id(const struct stream *stream) {
    size_t most = NUMFMT_BYTES;
    for (size_t i = 0; i < stream->trace.rows.count; i++) {
        size_t length = strlen(stream->trace.rows.at[i].id);
        most = length > most ? length : most;
    }
    return strlen(stream->name) + 1 + most;
}

/* A stream of several draws what may come, and begins anew; a log of any number. */
static void open_stream(struct jobs_to_come *c, struct coming *s, uint64_t seed,
                        uint32_t replication) {
    const struct stream *stream = s->stream;
    size_t number = (size_t)(s - c->streams);
    s->rngs = stream_open_rngs(seed, replication, number);
    if (stream->kind == STREAM_TRACE) {
        struct recording recording = {.stream = stream, .rngs = &s->rngs, .workload = c->workload};
        s->count = count_rows(stream, &stream->trace);
        s->rows = mem_alloc(s->count * sizeof *s->rows);
        for (uint32_t i = 0; i < s->count; i++)
            choose_of_row(&recording, &stream->trace.rows.at[i], &s->rows[i]);
        return;
    }
    s->generator = generator_of(stream, &s->rngs, c->workload);
    s->count = count_arrivals(&s->generator);
    if (c->count == 1)
        return;
    draw_choices(&s->generator);
    stream_close_rngs(&s->rngs);
    free(s->generator.sets);
    s->rngs = stream_open_rngs(seed, replication, number);
    s->generator = generator_of(stream, &s->rngs, c->workload);
}

static size_t own_sets(const struct config_table *table) {
    size_t count = 0;
    for (size_t i = 0; i < table->sets.count; i++)
        count += table->sets.at[i].request->phase == 0;
    return count;
}

void jobs_await(const struct stream *streams, size_t count, uint64_t seed, uint32_t replication,
                struct workload *workload) {
    struct jobs_to_come *c = mem_zalloc(1, sizeof *c);
    size_t jobs = 0, id_bytes = 16; /* of a number */
    *c = (struct jobs_to_come){.workload = workload, .count = count};
    c->streams = mem_zalloc(count, sizeof *c->streams);
    for (size_t i = 0; i < count; i++) {
        c->streams[i].stream = &streams[i];
        open_stream(c, &c->streams[i], seed, replication);
        jobs += c->streams[i].count;
        size_t longest = count > 1 ? longest_id(&streams[i]) + 1 : 0;
        id_bytes = longest > id_bytes ? longest : id_bytes;
        look_ahead(&c->streams[i]);
    }
    c->id_bytes = (id_bytes + 7) / 8 * 8;
    workload->to_come = c;
    workload->jobs.at = mem_blocks_init(&c->jobs, jobs, sizeof *workload->jobs.at);
    workload->jobs.count = workload->jobs.capacity = jobs;
    mem_blocks_init(&c->ids, count == 1 && c->streams->rows ? 0 : jobs, c->id_bytes);
    /* asked at powers of two, for it costs a look at all choices */
    while (count == 1 && !c->streams->rows && c->made < jobs &&
           ((c->made & (c->made - 1)) > 0 ||
            !has_all_choices(&c->streams->generator, own_sets(&workload->table))))
        make_next(c);
    if (c->made == 0 && jobs > 0)
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
    mem_blocks_give_back(&c->ids, from, end, c->made);
}

void jobs_to_come_finish(struct jobs_to_come *to_come) {
    if (!to_come)
        return;
    to_come->workload->jobs.at = NULL;
    for (struct coming *s = to_come->streams; s < to_come->streams + to_come->count; s++) {
        free(s->generator.sets);
        free(s->rows);
        stream_close_rngs(&s->rngs);
    }
    free(to_come->streams);
    mem_blocks_finish(&to_come->jobs);
    mem_blocks_finish(&to_come->ids);
    free(to_come);
}
