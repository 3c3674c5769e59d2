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
    return fmin(config->power_w[EASIM_ONE_NODE], config->power_w[EASIM_ACROSS_NODES]);
}

static void add_power(struct finder *f, const struct config_request *request,
                      const struct easim_config *config) {
    if (request->kind == JOB_KIND_RIGID)
        return;
    struct easim_config *least =
        &f->usage
             ->least_power[request->model * f->source->cluster->gpu_type_count + config->gpu_type];
    if (least->k == 0 || usage_power_w(config) < usage_power_w(least))
        *least = *config;
}

static void add_usage(struct finder *f, const struct config_request *request) {
    struct job_usage *use =
        request->kind == JOB_KIND_RIGID ? &f->usage->rigid : &f->usage->models[request->model];
    uint32_t number = config_table_set(&f->table, request); /* may move the sets */
    const struct config_set *set = &f->table.sets.at[number];
    use->any = true;
    use->types |= set->type_mask;
    for (uint32_t i = set->first; i < set->first + set->count; i++)
        add_power(f, request, &f->table.configs.at[i]);
}

static void add_generated(struct finder *f, const struct stream *s) {
    const struct mix_entry *mix = s->mix.at;
    const int64_t *k = s->rigid.k.at;
    for (size_t i = 0; i < s->mix.count; i++) {
        const struct config_request request = stream_request(s, mix[i].model_index);
        add_usage(f, &request);
    }
    for (size_t i = 0; s->rigid.node && i < s->rigid.k.count; i++) {
        struct config_request request = stream_request(s, EASIM_NONE);
        request.k_count = 1;
        request.k[0] = (uint32_t)k[i];
        request.batch_count = 0;
        add_usage(f, &request);
    }
}

/* A row as a job of one model, with each batch that it may get. */
static void add_row_as(struct finder *f, const struct stream *s, const struct trace_row *row,
                       uint32_t model) {
    const int64_t *batches = s->assign.batches.at;
    bool own = row->batch > 0 && !(s->assign.batches.count > 0 && s->assign.overwrite);
    size_t count = own || s->assign.batches.count == 0 ? 1 : s->assign.batches.count;
    for (size_t i = 0; i < count; i++) {
        uint32_t batch = own || s->assign.batches.count == 0 ? row->batch : (uint32_t)batches[i];
        const struct config_request request =
            recorded_jobs_request(s, f->source->cluster, row, model, batch);
        add_usage(f, &request);
    }
    if (job_kind_of_model(model) == JOB_KIND_MALLEABLE && s->assign.malleable_share > 0) {
        const struct config_request free_request = stream_request(s, model);
        add_usage(f, &free_request);
    }
}

static bool is_new(struct finder *f, const struct trace_row *row) {
    struct {
        const void *model, *gpu_type; /* interned */
        uint32_t gpus, batch, milli, padding;
    } key = {row->model, row->gpu_type, row->gpus, row->batch, row->gpu_milli, 0};
    bool result;
    intern(&f->seen, &key, sizeof key, &result);
    return result;
}

static void add_trace(struct finder *f, const struct stream *s) {
    const struct mix_entry *assigned = s->assign.models.at;
    for (size_t i = 0; i < s->trace.rows.count; i++) {
        const struct trace_row *row = &s->trace.rows.at[i];
        if (!is_new(f, row))
            continue;
        uint32_t own =
            row->model ? (uint32_t)model_set_find(f->source->models, row->model) : EASIM_NONE;
        bool keeps = s->assign.models.count == 0 || (own != EASIM_NONE && !s->assign.overwrite);
        if (keeps)
            add_row_as(f, s, row, own);
        for (size_t m = 0; !keeps && m < s->assign.models.count; m++)
            add_row_as(f, s, row, assigned[m].model_index);
    }
    intern_finish(&f->seen);
    f->seen = (struct intern){0};
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
