/* Jobs back to rows, which fix what the job's own request fixes beyond the limits of its stream. */
#include "workload/record.h"

#include "base/units.h"

#include <math.h>
#include <string.h>

/* Both of int64_t, or both of double above 0. */
static bool same_values(const struct schema_list *a, const struct schema_list *b) {
    return a->count == b->count &&
           (a->count == 0 || memcmp(a->at, b->at, a->count * sizeof(double)) == 0);
}

/* The stream whose limits a log would carry: k limits modelled jobs only. */
static const struct stream *leading_stream(const struct workload_source *source) {
    const struct stream *streams = source->streams.at;
    for (size_t i = 0; i < source->streams.count; i++)
        if (!streams[i].rigid.node)
            return &streams[i];
    return &streams[0];
}

const char *record_obstacle(const struct workload_source *source) {
    const struct stream *streams = source->streams.at, *lead = leading_stream(source);
    if (source->services.count > 0)
        return "it has services, which a log of jobs cannot hold";
    for (size_t i = 0; i < source->streams.count; i++) {
        const struct stream *s = &streams[i];
        if (!s->rigid.node && (!same_values(&s->k, &lead->k) || !same_values(&s->b, &lead->b)))
            return "its streams allow different k or b";
        if (s->rigid.node && lead->b.count > 0)
            return "one of its streams limits b, which rigid jobs do not have";
        if (s->type_mask != lead->type_mask)
            return "its streams allow different h";
        if (s->preemptible != lead->preemptible)
            return "its streams differ in preemptible";
        if (s->utilization_path &&
            (source->streams.count > 1 || s->changes.load_scale > 1 || s->perturb_node))
            return "its utilization_file has other job ids (several streams, load_scale, or perturb)";
    }
    return NULL;
}

static struct trace_row job_row(const struct stream *lead, const struct workload *workload,
                                const struct job_spec *job) {
    const struct config_request *q = workload->table.sets.at[job->set].request;
    const struct config_request free = stream_request(lead, job->model);
    bool rigid = job->kind == JOB_KIND_RIGID;
    struct trace_row row = {
        .id = job->id,
        .labels = job->labels,
        .user = workload->users.at[job->user].name,
        .submit_ns = job->submit_ns,
        .deadline_s = job->deadline_ns == TIME_NONE_NS ? NAN : units_s(job->deadline_ns),
        .work_samples = rigid ? NAN : job->work,
        .duration_s = rigid ? job->work : NAN,
        .requested_s = rigid && job->predicted_work != job->work ? job->predicted_work : NAN,
        .utilization = rigid && q->utilization != 1 ? q->utilization : NAN,
        .flex = job->flex > 0 ? job->flex : NAN,
        .gpu_milli = q->milli,
        .class = job->sla ? TRACE_CLASS_SLA : TRACE_CLASS_BEST_EFFORT};
    if (!rigid)
        row.model = workload->table.models->models[job->model].name;
    if (rigid || (q->k_count == 1 && (free.k_count != 1 || free.k[0] != q->k[0])))
        row.gpus = q->k[0];
    if (q->batch_count == 1 && (free.batch_count != 1 || free.batch[0] != q->batch[0]))
        row.batch = q->batch[0];
    if (q->type_mask != free.type_mask)
        row.gpu_type = workload->table.cluster->gpu_types[__builtin_ctzll(q->type_mask)].name;
    return row;
}

void record_jobs(const struct workload_source *source, const struct workload *workload,
                 struct trace *trace) {
    const struct stream *lead = leading_stream(source);
    for (size_t i = 0; i < workload->label_names.count; i++)
        array_push(&trace->label_names, workload->label_names.at[i]);
    for (size_t i = 0; i < workload->jobs.count; i++)
        array_push(&trace->rows, job_row(lead, workload, &workload->jobs.at[i]));
}

static void add_ints(struct str *out, const char *key, const struct schema_list *list) {
    const int64_t *values = list->at;
    for (size_t i = 0; i < list->count; i++)
        str_addf(out, "%s%lld", i ? ", " : key, (long long)values[i]);
    str_add(out, list->count > 0 ? "]" : "");
}

static void add_reals(struct str *out, const char *key, const struct schema_list *list) {
    const double *values = list->at;
    for (size_t i = 0; i < list->count; i++) {
        str_add(out, i ? ", " : key);
        str_add_real(out, values[i]);
    }
    str_add(out, list->count > 0 ? "]" : "");
}

static void add_seconds(struct str *out, const char *key, double seconds) {
    if (seconds > 0) {
        str_add(out, key);
        str_add_real(out, seconds);
    }
}

void record_section(const struct workload_source *source, const char *file, struct str *out) {
    const struct stream *lead = leading_stream(source);
    const struct start_costs *costs = &source->rigid_costs;
    const char *const *types = lead->h.at;
    str_addf(out, "{kind: trace, file: %s", file);
    add_ints(out, ", k: [", &lead->k);
    add_reals(out, ", b: [", &lead->b);
    for (size_t i = 0; i < lead->h.count; i++)
        str_addf(out, "%s%s%s", i ? ", " : ", h: [", types[i], i + 1 == lead->h.count ? "]" : "");
    str_add(out, lead->preemptible ? "" : ", preemptible: false");
    if (lead->utilization_path)
        str_addf(out, ", utilization_file: %s", lead->utilization_path);
    add_seconds(out, ", warmup: ", units_s(source->warmup_ns));
    struct str own = {0};
    add_seconds(&own, ", start_s: ", costs->start_s);
    add_seconds(&own, ", restart_s: ", costs->restart_s);
    add_seconds(&own, ", checkpoint_s: ", costs->checkpoint_s);
    add_seconds(&own, ", checkpoint_interval_s: ", costs->checkpoint_interval_s);
    if (own.length > 0)
        str_addf(out, ", rigid_costs: {%s}", own.text + strlen(", "));
    str_finish(&own);
    str_add_char(out, '}');
}

/* --- trace_assign --- */

int trace_assignment_load(struct trace_assignment *assignment, const char *path,
                          struct problems *problems) {
    size_t before = problems->count;
    if (yaml_doc_load(&assignment->doc, path, problems) < 0)
        return ERROR_INPUT;
    const struct binding binding = {.arena = &assignment->doc.arena, .problems = problems};
    if (stream_bind_assignment(&assignment->stream, assignment->doc.root, &binding) < 0)
        return ERROR_INPUT;
    if (assignment->stream.assign.malleable_share > 0)
        problems_add(problems, assignment->stream.where, "assign.malleable",
                     "a workload CSV cannot hold it: it belongs to the scenario that runs the log");
    return problems->count > before ? ERROR_INPUT : 0;
}

void trace_assignment_finish(struct trace_assignment *assignment) {
    yaml_doc_finish(&assignment->doc);
    *assignment = (struct trace_assignment){0};
}

/* As jobs.c: every row draws, whether it needs to or not, so rows are independent. */
static void assign_row(struct trace *trace, const struct stream *stream,
                       const struct stream_rngs *rngs, struct trace_row *row) {
    const struct assign_spec *assign = &stream->assign;
    if (assign->models.count > 0) {
        const char *model = stream_draw_model(&assign->models, rngs->models)->model;
        if (!row->model || assign->overwrite)
            row->model = trace_text(trace, (struct slice){model, strlen(model)});
        if (row->gpu_milli > 0 && row->gpu_milli < WHOLE_GPU_MILLI)
            trace_note(trace, false, "part of a GPU, but a model is assigned: it gets a whole GPU",
                       row->line);
        row->gpu_milli = 0;
    }
    (void)gsl_rng_uniform(rngs->models); /* jobs.c draws here whether the job is malleable */
    double batch = stream_draw_batch(&assign->batches, rngs->models);
    if (row->batch == 0 || (batch > 0 && assign->overwrite))
        row->batch = batch;
    if (stream->users) {
        const char *user = stream_draw_user(stream, rngs->users);
        if (!row->user || assign->overwrite)
            row->user = trace_text(trace, (struct slice){user, strlen(user)});
    }
    if (stream->deadlines.share > 0) {
        int64_t deadline_ns = stream_draw_deadline(&stream->deadlines, row->submit_ns,
                                                   row->duration_s, rngs->deadlines);
        if ((isnan(row->deadline_s) || assign->overwrite) && deadline_ns != TIME_NONE_NS)
            row->deadline_s = units_s(deadline_ns);
    }
}

void trace_assign(struct trace *trace, const struct trace_assignment *assignment, uint64_t seed) {
    struct stream_rngs rngs = stream_open_rngs(seed, 0, 0);
    for (size_t i = 0; i < trace->rows.count; i++)
        assign_row(trace, &assignment->stream, &rngs, &trace->rows.at[i]);
    stream_close_rngs(&rngs);
}
