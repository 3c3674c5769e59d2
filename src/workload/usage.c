/* Use of GPU types: see usage.h. */
#include "workload/usage.h"

#include "workload/recorded_jobs.h"

#include <math.h>
#include <stdlib.h>

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

/* A phase: what its jobs may start in, and what they may keep. */
static void add_set(struct finder *finder, const struct config_request *request,
                    struct job_usage *use, const struct config_set *set) {
    use->types |= set->type_mask;
    for (uint32_t i = set->first; i < set->first + set->count; i++) {
        uint32_t k = finder->table.configs.at[i].k;
        use->most_k = k > use->most_k ? k : use->most_k;
        add_power(finder, request, &finder->table.configs.at[i]);
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
    int r = config_table_init(&f.table, source->cluster, source->models, problems);
    f.table.extras = *extras;
    f.table.allowed_k = source->allowed_k;
    for (size_t i = 0; i < source->streams.count && r == 0; i++)
        (streams[i].kind == STREAM_TRACE ? add_trace : add_generated)(&f, &streams[i]);
    config_table_finish(&f.table);
    return r;
}

void usage_finish(struct usage *usage) {
    free(usage->models);
    free(usage->least_power);
    *usage = (struct usage){0};
}
