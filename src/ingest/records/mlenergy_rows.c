/* Choice among layouts and names of models: see mlenergy_rows.h. */
#include "ingest/records/mlenergy_rows.h"

#include "base/intern.h"

#include <stdlib.h>
#include <string.h>

/* ---- Order ---- */

static int compare_texts(const char *a, const char *b) {
    return strcmp(a ? a : "", b ? b : "");
}

/* Rows of one curve: all batches of a model on so many GPUs of a type. */
static int compare_curves(const struct mlenergy_row *a, const struct mlenergy_row *b) {
    int by_kind = (int)a->is_serving - (int)b->is_serving;
    int by_model = by_kind ? by_kind : strcmp(a->model, b->model);
    int by_task = by_model ? by_model : strcmp(a->task, b->task);
    int by_precision = by_task ? by_task : compare_texts(a->precision, b->precision);
    int by_gpu = by_precision ? by_precision : strcmp(a->gpu, b->gpu);
    return by_gpu ? by_gpu : COMPARE(a->gpus, b->gpus);
}

/* Within a batch the fastest first, then the one of least energy per output, then by place. */
static int compare_rows(const void *left, const void *right) {
    const struct mlenergy_row *a = left, *b = right;
    int order = compare_curves(a, b);
    order = order ? order : COMPARE(a->batch, b->batch);
    order = order ? order : COMPARE(b->per_s, a->per_s);
    order = order ? order : COMPARE(a->power_w / a->per_s, b->power_w / b->per_s);
    order = order ? order : strcmp(a->path, b->path);
    return order ? order : COMPARE(a->line, b->line);
}

/* ---- Names ---- */

/* What of a model, or of a model and task, the rows have several of. */
struct variety {
    const char *first;
    bool several;
};

struct names {
    struct intern models, works;                /* work: model and task */
    ARRAY_OF(struct variety) tasks, precisions; /* by number of the model, of the work */
};

static uint32_t work_of(struct names *names, const struct mlenergy_row *row, bool *is_new) {
    struct str key = {0};
    str_add(&key, row->model);
    str_add_char(&key, '\n');
    str_add(&key, row->task);
    uint32_t number = intern(&names->works, key.text, key.length, is_new);
    str_finish(&key);
    return number;
}

static void see_variety(struct variety *variety, const char *value) {
    variety->several |= variety->first && compare_texts(variety->first, value) != 0;
    variety->first = value ? value : "";
}

static void find_names(struct names *names, struct mlenergy_rows rows) {
    for (size_t i = 0; i < rows.count; i++) {
        const struct mlenergy_row *row = &rows.at[i];
        bool is_new = false;
        uint32_t model = intern(&names->models, row->model, strlen(row->model), &is_new);
        if (is_new)
            (void)array_add(&names->tasks);
        see_variety(&names->tasks.at[model], row->task);
        uint32_t work = work_of(names, row, &is_new);
        if (is_new)
            (void)array_add(&names->precisions);
        see_variety(&names->precisions.at[work], row->precision);
    }
}

static void names_finish(struct names *names) {
    intern_finish(&names->models);
    intern_finish(&names->works);
    free(names->tasks.at);
    free(names->precisions.at);
}

/* ---- Rows of the profile ---- */

static void add_figures(struct records_job *job, const struct profile_row *row,
                        const struct mlenergy_row *from) {
    struct figure *group = records_add_figures(job);
    figures_text(group, "model", row->model);
    figures_text(group, "gpu", row->gpu);
    figures_int(group, "k", row->gpus);
    figures_real(group, from->is_serving ? "batch_limit" : "batch_size", from->batch);
    if (from->is_serving)
        figures_real(group, "running_batch", from->running);
    figures_real(group, from->is_serving ? "tokens_per_s" : "outputs_per_s", from->per_s);
    figures_real(group, "power_w", from->power_w);
    figures_real(group, "energy_j", from->power_w / from->per_s);
    figures_text(group, "layout", from->layout[0] ? from->layout : NULL);
}

static void add_row(struct records_job *job, const struct mlenergy_row *from, size_t layouts,
                    struct names *names) {
    struct profile_row *row = profile_add_row(job->profile, job->options);
    struct arena *arena = &job->profile->arena;
    uint32_t model = intern_find(&names->models, from->model, strlen(from->model));
    row->model = names->tasks.at[model].several
                     ? arena_printf(arena, "%s/%s", from->model, from->task)
                     : from->model;
    if (!row->precision && names->precisions.at[work_of(names, from, NULL)].several)
        row->precision = from->precision;
    row->gpu = from->gpu;
    row->gpus = from->gpus;
    row->throughput_samples_s = from->per_s;
    row->power_w_per_gpu = from->power_w / from->gpus;
    row->batch = from->batch / from->gpus;
    row->serving.unit = from->is_serving ? "token" : "output";
    if (from->is_serving) {
        row->serving.prompt = "included";
        row->serving.batch_limit = from->batch;
        row->serving.running_batch = from->running;
        memcpy(row->serving.itl_ms, from->itl_ms, sizeof from->itl_ms);
    }
    const char *place =
        arena_printf(arena, "mlenergy %s line %u", from->path, (unsigned)from->line);
    if (layouts > 1)
        row->source =
            arena_printf(arena, "%s: %s, fastest of %zu layouts", place, from->layout, layouts);
    else
        row->source = from->layout[0] ? arena_printf(arena, "%s: %s", place, from->layout) : place;
    add_figures(job, row, from);
}

/* Of one batch on the same GPUs the first, as rows are sorted. Returns how many were left out. */
static size_t add_generation(struct records_job *job, struct mlenergy_rows curve,
                             struct names *names) {
    size_t left_out = 0;
    for (size_t i = 0, end; i < curve.count; i = end) {
        for (end = i + 1; end < curve.count && curve.at[end].batch == curve.at[i].batch; end++)
            continue;
        add_row(job, &curve.at[i], end - i, names);
        left_out += end - i - 1;
    }
    return left_out;
}

/* The points of a table belong together: all are of the layout that reaches the highest rate.
   Returns how many were left out. */
static size_t add_serving(struct records_job *job, struct mlenergy_rows curve,
                          struct names *names) {
    const struct mlenergy_row *best = curve.at;
    size_t left_out = 0;
    for (size_t i = 1; i < curve.count; i++)
        if (curve.at[i].per_s > best->per_s)
            best = &curve.at[i];
    const char *layout = best->layout;
    for (size_t i = 0; i < curve.count; i++) {
        if (strcmp(curve.at[i].layout, layout) == 0)
            add_row(job, &curve.at[i], 1, names);
        else
            left_out++;
    }
    return left_out;
}

void mlenergy_rows_add(struct records_job *job, struct mlenergy_rows rows) {
    struct names names = {0};
    size_t left_out[2] = {0}, found[2] = {0};
    find_names(&names, rows);
    sort_array(rows.at, rows.count, compare_rows);
    for (size_t i = 0, end; i < rows.count; i = end) {
        for (end = i + 1; end < rows.count && compare_curves(&rows.at[i], &rows.at[end]) == 0;
             end++)
            continue;
        struct mlenergy_rows curve = {rows.at + i, end - i};
        bool serving = rows.at[i].is_serving;
        found[serving] += curve.count;
        left_out[serving] +=
            serving ? add_serving(job, curve, &names) : add_generation(job, curve, &names);
    }
    static const char *const kept[2] = {"slower layouts of the same GPUs and batch size",
                                        "layouts of the same GPUs that reach a lower rate"};
    for (int kind = 0; kind < 2; kind++)
        if (left_out[kind] > 0)
            problems_add(&job->profile->notes, (struct location){0}, NULL,
                         "%zu of %zu rows left out: %s (the layout of each row is in its source)",
                         left_out[kind], found[kind], kept[kind]);
    names_finish(&names);
}
