/* Recorded jobs: rows of a trace, as they were or with models, users and deadlines assigned from
 * the seed. */
#include "workload/recorded_jobs.h"

#include "base/units.h"

#include <math.h>

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

/* The model of a row: its own, or one drawn; always draws, so that rows do not disturb each other.
 */
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
    job.user = workload_user(workload, row->user && !(stream->assign.overwrite && stream->users)
                                           ? row->user
                                           : drawn_user);
    if (!isnan(row->deadline_s) && !(stream->assign.overwrite && stream->deadlines.share > 0))
        job.deadline_ns = units_ns(row->deadline_s);
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
