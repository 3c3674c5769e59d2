/* Allowed k by model: see allowed_k.h. Invariant: each list is ascending and without repeats. */
#include "workload/allowed_k.h"

#include <stdlib.h>

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
