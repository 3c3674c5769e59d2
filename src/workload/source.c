/* Drawing of the jobs of a replication from the workload section. */
#include "workload/source.h"

#include "base/numfmt.h"
#include "workload/jobs.h"
#include "workload/trace.h"

#include <stdlib.h>

/* Streams become one order of submission; equal times keep the order of the streams. */
static void merge_streams(struct workload *workload) {
    struct job_spec *sorted =
        order_sorted_by_time(workload->jobs.at, sizeof *workload->jobs.at,
                             offsetof(struct job_spec, submit_ns), workload->jobs.count);
    if (!sorted)
        return;
    free(workload->jobs.at);
    workload->jobs.at = sorted;
    workload->jobs.capacity = workload->jobs.count;
}

/* Generated jobs are numbered from 1; with several streams every id carries its stream's name. */
static void name_jobs(const struct workload_source *source, const struct stream *stream,
                      size_t first, struct workload *workload) {
    for (size_t i = first; i < workload->jobs.count; i++) {
        struct job_spec *job = &workload->jobs.at[i];
        char number[NUMFMT_BYTES];
        if (job->id && source->streams.count == 1)
            continue;
        numfmt_int(number, (int64_t)(i - first) + 1);
        if (source->streams.count > 1)
            job->id =
                arena_printf(&workload->arena, "%s-%s", stream->name, job->id ? job->id : number);
        else
            job->id = arena_strdup(&workload->arena, number);
    }
}

/* Label columns of all logs together; returns for one log where its labels go. */
static uint32_t *add_labels(const struct trace *trace, struct workload *workload) {
    uint32_t *places = arena_alloc(&workload->arena, trace->label_names.count * sizeof *places);
    for (size_t i = 0; i < trace->label_names.count; i++) {
        uint32_t place = 0;
        while (place < workload->label_names.count &&
               strcmp(workload->label_names.at[place], trace->label_names.at[i]) != 0)
            place++;
        if (place == workload->label_names.count)
            array_push(&workload->label_names, trace->label_names.at[i]);
        places[i] = place;
    }
    return places;
}

/* Labels of jobs first.. move to the columns of the whole workload. */
static void place_labels(const struct trace *trace, const uint32_t *places, size_t first,
                         struct workload *workload) {
    bool same = trace->label_names.count == workload->label_names.count;
    for (size_t i = 0; i < trace->label_names.count; i++)
        same = same && places[i] == i;
    for (size_t j = first; j < workload->jobs.count && !same; j++) {
        const char **labels =
            arena_alloc(&workload->arena, workload->label_names.count * sizeof *labels);
        for (size_t i = 0; i < trace->label_names.count; i++)
            labels[places[i]] = workload->jobs.at[j].labels ? workload->jobs.at[j].labels[i] : NULL;
        workload->jobs.at[j].labels = labels;
    }
}

bool source_repeats_arrivals(const struct workload_source *source) {
    const struct stream *streams = source->streams.at;
    size_t i = 0;
    while (i < source->streams.count && streams[i].kind == STREAM_TRACE &&
           !(streams[i].perturb_node && trace_perturb_draws(&streams[i].perturb)))
        i++;
    return i == source->streams.count;
}

int source_begin_table(const struct workload_source *source, const struct config_extras *extras,
                       struct config_table *table, struct problems *problems) {
    int r = config_table_init(table, source->cluster, source->models, problems);
    table->extras = *extras;
    table->allowed_k = source->allowed_k;
    table->known = source->known;
    return r;
}

/* All that is not of the jobs. */
static int begin_workload(const struct workload_source *source, const struct config_extras *extras,
                          struct workload *workload, struct problems *problems) {
    const struct scenario *scenario = source->scenario;
    const struct scenario_user *users = scenario->users.at;
    *workload = (struct workload){.services = &source->services,
                                  .rigid_costs = source->rigid_costs,
                                  .warmup_ns = source->warmup_ns};
    if (source_begin_table(source, extras, &workload->table, problems) < 0)
        return ERROR_INPUT;
    for (size_t i = 0; i < scenario->users.count; i++) {
        uint32_t user = workload_user(workload, users[i].name); /* may move the array */
        workload->users.at[user].weight = users[i].weight;
    }
    return 0;
}

int source_generate(const struct workload_source *source, uint32_t replication,
                    const struct config_extras *extras, struct workload *workload,
                    struct problems *problems) {
    const uint64_t seed = (uint64_t)source->scenario->seed;
    const struct stream *streams = source->streams.at;
    if (begin_workload(source, extras, workload, problems) < 0)
        return ERROR_INPUT;
    uint32_t **places = mem_zalloc(source->streams.count, sizeof *places);
    for (size_t i = 0; i < source->streams.count; i++)
        places[i] = add_labels(&streams[i].trace, workload);
    for (size_t i = 0; i < source->streams.count; i++) {
        struct stream_rngs rngs = stream_open_rngs(seed, replication, i);
        size_t first = workload->jobs.count;
        if (streams[i].kind == STREAM_TRACE)
            recorded_jobs_add(&streams[i], &rngs, workload);
        else
            generated_jobs_add(&streams[i], &rngs, workload);
        name_jobs(source, &streams[i], first, workload);
        place_labels(&streams[i].trace, places[i], first, workload);
        stream_close_rngs(&rngs);
    }
    free(places);
    if (workload->jobs.count > 0)
        merge_streams(workload);
    return 0;
}

/* Whether jobs of the stream need no draws but those of a generator, or of the users of a log. */
static bool may_come(const struct stream *stream) {
    const struct trace *trace = &stream->trace;
    bool draws = stream->assign.node || stream->perturb_node || stream->deadlines.share > 0 ||
                 stream->flex.count > 0 || stream->estimate.kind != ESTIMATE_REQUESTED;
    size_t i = 0;
    if (stream->kind != STREAM_TRACE)
        return true;
    while (i < trace->rows.count &&
           (trace->rows.at[i].model ? !isnan(trace->rows.at[i].work_samples)
                                    : trace->rows.at[i].gpus > 0))
        i++;
    return !draws && i == trace->rows.count;
}

int source_await(const struct workload_source *source, uint32_t replication,
                 const struct config_extras *extras, struct workload *workload,
                 struct problems *problems) {
    const struct stream *streams = source->streams.at;
    size_t count = source->streams.count, i = 0;
    while (i < count && may_come(&streams[i]) &&
           (count == 1 || streams[i].trace.label_names.count == 0))
        i++;
    if (i < count || count == 0)
        return source_generate(source, replication, extras, workload, problems);
    if (begin_workload(source, extras, workload, problems) < 0)
        return ERROR_INPUT;
    (void)add_labels(&streams->trace, workload);
    jobs_await(streams, count, (uint64_t)source->scenario->seed, replication, workload);
    return 0;
}
