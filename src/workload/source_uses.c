/* Uses of a source of jobs: see source_uses.h. */
#include "workload/source_uses.h"

#include "workload/jobs.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* --- usage --- */

struct finder {
    const struct workload_source *source;
    struct usage *usage;
    struct config_table table;
    struct intern seen; /* rows that ask for the same */
};

double usage_power_w(const struct easim_config *config) {
    double least_w = INFINITY;
    for (uint32_t span = 0; span < config->span_count; span++)
        least_w = fmin(least_w, config->power_w[span]);
    return least_w;
}

static void add_power(struct finder *finder, const struct config_request *request,
                      const struct easim_config *config) {
    if (request->kind == JOB_KIND_RIGID)
        return;
    struct easim_config *least =
        &finder->usage->least_power[request->model * finder->source->cluster->gpu_type_count +
                                    config->gpu_type];
    if (least->k == 0 || usage_power_w(config) < usage_power_w(least))
        *least = *config;
}

static void add_limit(struct finder *finder, const struct config_request *request, uint32_t h) {
    const char *name = finder->source->cluster->gpu_types[h].name;
    bool measured = request->kind != JOB_KIND_RIGID &&
                    model_on_gpu(&finder->source->models->models[request->model], name)
                            ->power_limits.levels.count > 0;
    finder->usage->limited_types |= 1ull << h;
    finder->usage->law_types |= measured ? 0 : 1ull << h;
}

/* A phase: what its jobs may start in, and what they may keep. */
static void add_set(struct finder *finder, const struct config_request *request,
                    struct job_usage *use, const struct config_set *set) {
    bool throttled = finder->source->cluster->cap_rules.enforce != ENFORCE_NONE &&
                     request->milli % WHOLE_GPU_MILLI == 0;
    use->types |= set->type_mask;
    for (uint32_t i = set->first; i < set->first + set->count; i++) {
        const struct easim_config *config = &finder->table.configs.at[i];
        use->most_k = config->k > use->most_k ? config->k : use->most_k;
        add_power(finder, request, config);
        if (config->power_limit_w < INFINITY || throttled)
            add_limit(finder, request, config->gpu_type);
    }
    for (uint32_t i = set->kept_first; i < set->kept_first + set->kept_count; i++)
        add_power(finder, request, &finder->table.configs.at[i]);
}

static void add_usage(struct finder *finder, const struct config_request *request) {
    struct job_usage *use = request->kind == JOB_KIND_RIGID
                                ? &finder->usage->rigid
                                : &finder->usage->models[request->model];
    uint32_t number = config_table_set(&finder->table, request); /* may move the sets */
    const struct config_set *set = &finder->table.sets.at[number];
    use->any = true;
    add_set(finder, request, use, set);
    while (set->until < 1)
        add_set(finder, request, use, ++set);
}

static void add_generated(struct finder *finder, const struct stream *stream) {
    const struct mix_entry *mix = stream->mix.at;
    const int64_t *k = stream->rigid.k.at;
    for (size_t i = 0; i < stream->mix.count; i++) {
        const struct config_request request = stream_request(stream, mix[i].model_index);
        add_usage(finder, &request);
    }
    for (size_t i = 0; stream->rigid.node && i < stream->rigid.k.count; i++) {
        struct config_request request = stream_request(stream, EASIM_NONE);
        request.k_count = 1;
        request.k[0] = (uint32_t)k[i];
        request.batch_count = 0;
        add_usage(finder, &request);
    }
}

/* A row as a job of one model, with each batch that it may get. */
static void add_row_as(struct finder *finder, const struct stream *stream,
                       const struct trace_row *row, uint32_t model) {
    const double *batches = stream->assign.batches.at;
    bool own = row->batch > 0 && !(stream->assign.batches.count > 0 && stream->assign.overwrite);
    size_t count = own || stream->assign.batches.count == 0 ? 1 : stream->assign.batches.count;
    for (size_t i = 0; i < count; i++) {
        double batch = own || stream->assign.batches.count == 0 ? row->batch : batches[i];
        const struct config_request request =
            recorded_jobs_request(stream, finder->source->cluster, row, model, batch);
        add_usage(finder, &request);
    }
    if (job_kind_of_model(model) == JOB_KIND_MALLEABLE && stream->assign.malleable_share > 0) {
        const struct config_request free_request = stream_request(stream, model);
        add_usage(finder, &free_request);
    }
}

static bool is_new(struct finder *finder, const struct trace_row *row) {
    struct {
        const void *model, *gpu_type; /* interned */
        double batch;
        uint32_t gpus, milli;
    } key = {row->model, row->gpu_type, row->batch, row->gpus, row->gpu_milli};
    bool result;
    intern(&finder->seen, &key, sizeof key, &result);
    return result;
}

static void add_trace(struct finder *finder, const struct stream *stream) {
    const struct mix_entry *assigned = stream->assign.models.at;
    for (size_t i = 0; i < stream->trace.rows.count; i++) {
        const struct trace_row *row = &stream->trace.rows.at[i];
        if (!is_new(finder, row))
            continue;
        uint32_t own =
            row->model ? (uint32_t)model_set_find(finder->source->models, row->model) : EASIM_NONE;
        bool keeps =
            stream->assign.models.count == 0 || (own != EASIM_NONE && !stream->assign.overwrite);
        if (keeps)
            add_row_as(finder, stream, row, own);
        for (size_t m = 0; !keeps && m < stream->assign.models.count; m++)
            add_row_as(finder, stream, row, assigned[m].model_index);
    }
    intern_finish(&finder->seen);
    finder->seen = (struct intern){0};
}

int usage_find(struct usage *usage, const struct workload_source *source,
               const struct config_extras *extras, struct problems *problems) {
    struct finder f = {.source = source, .usage = usage};
    const struct stream *streams = source->streams.at;
    size_t places = (size_t)source->models->count * source->cluster->gpu_type_count;
    *usage = (struct usage){.models = mem_zalloc(source->models->count, sizeof *usage->models),
                            .least_power = mem_zalloc(places, sizeof *usage->least_power)};
    int r = source_begin_table(source, extras, &f.table, problems);
    for (size_t i = 0; i < source->streams.count && r == 0; i++)
        (streams[i].kind == STREAM_TRACE ? add_trace : add_generated)(&f, &streams[i]);
    usage->table = f.table;
    return r;
}

/* Of more a table is not kept: those of logs, whose requests may all differ. */
#define MOST_KEPT_CONFIGS 4096

struct config_table *usage_keep_table(struct usage *usage) {
    if (usage->table.configs.count > MOST_KEPT_CONFIGS)
        return NULL;
    struct config_table *kept = mem_alloc(sizeof *kept);
    *kept = usage->table;
    usage->table = (struct config_table){.cluster = NULL};
    return kept;
}

void usage_finish(struct usage *usage) {
    config_table_finish(&usage->table);
    free(usage->models);
    free(usage->least_power);
    *usage = (struct usage){0};
}

/* --- allowed_k --- */
/* Invariant: each list is ascending and without repeats. */

static void add_allowed_k(struct k_choice *list, uint32_t k) {
    size_t at = list->count;
    while (at > 0 && list->at[at - 1] > k)
        at--;
    if (at > 0 && list->at[at - 1] == k)
        return;
    array_push(list, k);
    for (size_t i = list->count - 1; i > at; i--)
        list->at[i] = list->at[i - 1];
    list->at[at] = k;
}

static void add_limits(const struct stream *stream, uint32_t model, struct k_choice *list) {
    const struct config_request request = stream_request(stream, model);
    for (uint32_t i = 0; i < request.k_count; i++)
        add_allowed_k(list, request.k[i]);
}

/* A row fixes its k, unless it leaves it open or its job may change. */
static void add_row_k(const struct stream *stream, const struct trace_row *row, uint32_t model,
                      struct k_choice *list) {
    if (row->gpus > 0)
        add_allowed_k(list, row->gpus);
    if (row->gpus == 0 || stream->assign.malleable_share > 0)
        add_limits(stream, model, list);
}

static void add_log(const struct workload_source *source, const struct stream *stream) {
    const struct mix_entry *assigned = stream->assign.models.at;
    for (size_t i = 0; i < stream->trace.rows.count; i++) {
        const struct trace_row *row = &stream->trace.rows.at[i];
        int own = row->model ? model_set_find(source->models, row->model) : -1;
        if (own >= 0)
            add_row_k(stream, row, (uint32_t)own, &source->allowed_k[own]);
        for (size_t m = 0; m < stream->assign.models.count; m++)
            add_row_k(stream, row, assigned[m].model_index,
                      &source->allowed_k[assigned[m].model_index]);
    }
}

void allowed_k_find(struct workload_source *source) {
    const struct stream *streams = source->streams.at;
    source->allowed_k = mem_zalloc(source->models->count, sizeof *source->allowed_k);
    for (size_t i = 0; i < source->streams.count; i++) {
        const struct mix_entry *mix = streams[i].mix.at;
        if (streams[i].kind == STREAM_TRACE)
            add_log(source, &streams[i]);
        for (size_t m = 0; m < streams[i].mix.count; m++)
            add_limits(&streams[i], mix[m].model_index, &source->allowed_k[mix[m].model_index]);
    }
}

void allowed_k_finish(struct workload_source *source) {
    for (uint32_t i = 0; source->allowed_k && i < source->models->count; i++)
        free(source->allowed_k[i].at);
    free(source->allowed_k);
    source->allowed_k = NULL;
}

/* --- drawn_jobs --- */
/* Invariant: sets are made in the order in which they were made for the drawn jobs, so in the same
   physics all numbers are the same. */

/* The new number of each set of the drawn jobs. Later phases' sets come with those of the first. */
static uint32_t *place_sets(const struct config_table *drawn, struct config_table *table) {
    uint32_t *places = mem_zalloc(drawn->sets.count, sizeof *places);
    for (size_t i = 0; i < drawn->sets.count; i++)
        if (drawn->sets.at[i].request->phase == 0)
            places[i] = config_table_set(table, drawn->sets.at[i].request);
    return places;
}

int drawn_jobs_place(const struct workload *drawn, const struct workload_source *source,
                     const struct config_extras *extras, struct workload *workload,
                     struct problems *problems) {
    assert(source->models->count == drawn->table.models->count);
    *workload = (struct workload){.services = &source->services,
                                  .rigid_costs = source->rigid_costs,
                                  .has_utilization = drawn->has_utilization,
                                  .warmup_ns = drawn->warmup_ns};
    if (source_begin_table(source, extras, &workload->table, problems) < 0)
        return ERROR_INPUT;
    uint32_t *places = place_sets(&drawn->table, &workload->table);
    for (size_t i = 0; i < drawn->jobs.count; i++) {
        struct job_spec job = drawn->jobs.at[i];
        job.set = places[job.set];
        array_push(&workload->jobs, job);
    }
    for (size_t i = 0; i < drawn->users.count; i++)
        array_push(&workload->users, drawn->users.at[i]);
    for (size_t i = 0; i < drawn->label_names.count; i++)
        array_push(&workload->label_names, drawn->label_names.at[i]);
    free(places);
    return 0;
}
