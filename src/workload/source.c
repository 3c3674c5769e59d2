/* Drawing of the jobs of a replication from the workload section. */
#include "workload/source.h"

#include "base/numfmt.h"
#include "workload/generated_jobs.h"
#include "workload/order.h"
#include "workload/recorded_jobs.h"

#include <stdlib.h>

/* Streams one after the other become one order of submission; equal times keep the order of the
 * streams. */
static void merge_streams(struct workload *w) {
    uint32_t *order = order_by_time(&w->jobs.at->submit_ns, sizeof *w->jobs.at, w->jobs.count);
    if (!order)
        return;
    struct job_spec *jobs = mem_zalloc(w->jobs.count, sizeof *jobs);
    for (size_t i = 0; i < w->jobs.count; i++)
        jobs[i] = w->jobs.at[order[i]];
    free(order);
    free(w->jobs.at);
    w->jobs.at = jobs;
    w->jobs.capacity = w->jobs.count;
}

/* Generated jobs are numbered from 1; with several streams every id carries its stream's name. */
static void name_jobs(const struct workload_source *source, const struct stream *s, size_t first,
                      struct workload *w) {
    for (size_t i = first; i < w->jobs.count; i++) {
        struct job_spec *job = &w->jobs.at[i];
        char number[NUMFMT_BYTES];
        numfmt_int(number, (int64_t)(i - first) + 1);
        if (source->streams.count > 1)
            job->id = arena_printf(&w->arena, "%s-%s", s->name, job->id ? job->id : number);
        else if (!job->id)
            job->id = arena_strdup(&w->arena, number);
    }
}

/* Label columns of all logs together; returns for one log where its labels go. */
static uint32_t *add_labels(const struct trace *t, struct workload *w) {
    uint32_t *places = arena_alloc(&w->arena, t->label_names.count * sizeof *places);
    for (size_t i = 0; i < t->label_names.count; i++) {
        uint32_t place = 0;
        while (place < w->label_names.count &&
               strcmp(w->label_names.at[place], t->label_names.at[i]) != 0)
            place++;
        if (place == w->label_names.count)
            array_push(&w->label_names, t->label_names.at[i]);
        places[i] = place;
    }
    return places;
}

/* Labels of jobs first.. move to the columns of the whole workload. */
static void place_labels(const struct trace *t, const uint32_t *places, size_t first,
                         struct workload *w) {
    bool same = t->label_names.count == w->label_names.count;
    for (size_t i = 0; i < t->label_names.count; i++)
        same = same && places[i] == i;
    for (size_t j = first; j < w->jobs.count && !same; j++) {
        const char **labels = arena_alloc(&w->arena, w->label_names.count * sizeof *labels);
        for (size_t i = 0; i < t->label_names.count; i++)
            labels[places[i]] = w->jobs.at[j].labels ? w->jobs.at[j].labels[i] : NULL;
        w->jobs.at[j].labels = labels;
    }
}

int source_generate(const struct workload_source *source, uint32_t replication,
                    const struct config_extras *extras, struct workload *w,
                    struct problems *problems) {
    const struct scenario *scenario = source->scenario;
    const struct scenario_user *users = scenario->users.at;
    const struct stream *streams = source->streams.at;
    *w = (struct workload){.rigid_costs = source->rigid_costs, .warmup_ns = source->warmup_ns};
    if (config_table_init(&w->table, source->cluster, source->models, problems) < 0)
        return ERROR_INPUT;
    w->table.extras = *extras;
    for (size_t i = 0; i < scenario->users.count; i++) {
        uint32_t user = workload_user(w, users[i].name); /* may move the array */
        w->users.at[user].weight = users[i].weight;
    }
    uint32_t **places = mem_zalloc(source->streams.count, sizeof *places);
    for (size_t i = 0; i < source->streams.count; i++)
        places[i] = add_labels(&streams[i].trace, w);
    for (size_t i = 0; i < source->streams.count; i++) {
        struct stream_rngs rngs = stream_open_rngs((uint64_t)scenario->seed, replication, i);
        size_t first = w->jobs.count;
        if (streams[i].kind == STREAM_TRACE)
            recorded_jobs_add(&streams[i], &rngs, w);
        else
            generated_jobs_add(&streams[i], &rngs, w);
        name_jobs(source, &streams[i], first, w);
        place_labels(&streams[i].trace, places[i], first, w);
        stream_close_rngs(&rngs);
    }
    free(places);
    if (w->jobs.count > 0)
        merge_streams(w);
    return 0;
}
