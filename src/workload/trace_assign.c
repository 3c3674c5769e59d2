/* Seeded assignment to a log: see trace_assign.h. */
#include "workload/trace_assign.h"

#include "base/units.h"

#include <math.h>

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

/* As recorded_jobs.c: every row draws, whether it needs to or not, so that rows do not disturb each
 * other.
 */
static void assign_row(struct trace *trace, const struct stream *stream,
                       const struct stream_rngs *rngs, struct trace_row *row) {
    const struct assign_spec *assign = &stream->assign;
    if (assign->models.count > 0) {
        const char *model = stream_draw_model(&assign->models, rngs->models)->model;
        if (!row->model || assign->overwrite)
            row->model = trace_text(trace, (struct slice){model, strlen(model)});
        if (row->gpu_milli > 0 && row->gpu_milli < WHOLE_GPU_MILLI)
            trace_note(trace, false, "part of a GPU, and a model was assigned: a whole one",
                       row->line);
        row->gpu_milli = 0;
    }
    (void)gsl_rng_uniform(
        rngs->models); /* recorded_jobs.c draws here whether the job is malleable */
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
