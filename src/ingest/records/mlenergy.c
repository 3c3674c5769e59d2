/* The ML.ENERGY Benchmark's tables, columns by name. Rows that contradict themselves or lack what a
   row of a profile needs are left out, by reason. */
#include "base/intern.h"
#include "ingest/foreign.h"
#include "ingest/profile_formats.h"
#include "ingest/readers.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- mlenergy_rows: rows, and which of them become rows of a profile --- */

/* One measurement; texts live as long as the profile. */
struct mlenergy_row {
    const char *model, *task, *precision, *gpu; /* precision may be NULL */
    const char *layout; /* how the GPUs share the work, in words; "": one way */
    const char *path;
    uint32_t line, gpus;
    bool is_serving;
    double batch;   /* generation: outputs at once; serving: most requests at once */
    double running; /* serving: mean of the requests at once */
    double per_s, power_w;
    double itl_ms[PROFILE_QUANTILES]; /* serving */
};

struct mlenergy_rows {
    struct mlenergy_row *at;
    size_t count;
};

/* ---- Order ---- */

/* Rows of one curve: all batches of a model on one number of GPUs of a type. */
ORDER_BY(compare_curves, struct mlenergy_row,
         ASC(is_serving) TEXT_ASC(model) TEXT_ASC(task) TEXT_ASC(precision) TEXT_ASC(gpu) ASC(gpus))

/* Within a batch the fastest first, then the one of least energy per output, then by place. */
ORDER_BY(compare_rows, struct mlenergy_row,
         THEN(compare_curves(a, b)) ASC(batch) DESC(per_s)
             THEN(COMPARE(a->power_w / a->per_s, b->power_w / b->per_s)) TEXT_ASC(path) ASC(line))

/* ---- Names ---- */

/* A property of which rows of a model, or of a model and task, have several values. */
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

/* For one batch on the same GPUs: adds the first row. Returns how many were left out. */
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

/* Names the models, drops layouts that are not the fastest (with a note of how many) and adds the
   others to the profile, ordered by name, GPU type, GPUs and batch. Sorts rows. */
static void mlenergy_rows_add(struct records_job *job, struct mlenergy_rows rows) {
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
            problems_say(&job->profile->notes,
                         "%zu of %zu rows left out: %s (the layout of each row is in its source)",
                         left_out[kind], found[kind], kept[kind]);
    names_finish(&names);
}

/* --- mlenergy --- */

#define MOST_BATCH   1000000000
#define MOST_GPUS    1048576
#define MAY_DIFFER   0.05 /* of one figure from others in the row, relatively: rounding is less */
#define LAYOUT_PARTS 3

enum column {
    MODEL,
    TASK,
    PRECISION,
    GPU,
    GPUS,
    BATCH,
    RATE,
    POWER,
    ENERGY,
    SECONDS, /* generation: of one batch */
    RUNNING, /* serving */
    P50,
    P90,
    P95,
    P99,
    LAYOUT,
    COLUMNS = LAYOUT + LAYOUT_PARTS
};

static const char *const column_names[2][COLUMNS] = {
    {"model_id", "task", "weight_precision", "gpu_model", "num_gpus", "batch_size",
     "throughput_per_sec", "avg_power_watts", "energy_per_output_joules", "batch_latency_s", NULL,
     NULL, NULL, NULL, NULL, "ulysses_degree", "ring_degree", NULL},
    {"model_id", "task", "weight_precision", "gpu_model", "num_gpus", "max_num_seqs",
     "output_throughput_tokens_per_sec", "avg_power_watts", "energy_per_token_joules", NULL,
     "avg_batch_size", "median_itl_ms", "p90_itl_ms", "p95_itl_ms", "p99_itl_ms", "tensor_parallel",
     "expert_parallel", "data_parallel"},
};

static const char *const layout_names[2][LAYOUT_PARTS] = {{"ulysses", "ring", NULL},
                                                          {"tensor", "expert", "data"}};

/* Why a row that can be read is of no use. */
#define REASON_ROWS(X) \
    X(NO_POWER, "no power (avg_power_watts)"), \
        X(NO_RATE, "no rate (throughput_per_sec, output_throughput_tokens_per_sec)"), \
        X(NO_QUANTILE, \
          "no latency quantiles (median, p90, p95, p99 itl_ms) or running batch (avg_batch_size)"), \
        X(FALLING, "latency quantiles that fall from the median to p99"), \
        X(ABOVE_LIMIT, "a running batch (avg_batch_size) above its limit (max_num_seqs)"), \
        X(OTHER_ENERGY, "an energy that is not power over rate, by more than 5 %"), \
        X(OTHER_TIME, "a rate that is not batch_size over batch_latency_s, by more than 5 %")
enum reason { REASON_ROWS(ENUM_OF), REASONS };

static const char *const reason_texts[REASONS] = {REASON_ROWS(NAME_OF)};

struct reader {
    bool is_serving;
    int columns[COLUMNS];
    uint64_t left_out[REASONS];
    uint32_t first_lines[REASONS];
    size_t before; /* rows of earlier files */
    ARRAY_OF(struct mlenergy_row) rows;
};

/* ---- Header ---- */

static bool is_required(enum column column, bool is_serving) {
    return column < LAYOUT && column != PRECISION && column != ENERGY && column != SECONDS &&
           column_names[is_serving][column];
}

static void refuse_options(struct records_job *job, const struct records *records) {
    const struct profile_options *o = job->options;
    const struct {
        const char *name;
        bool given;
    } own[] = {
        {"model", o->model}, {"gpu", o->gpu}, {"gpus", o->gpus > 0}, {"batch", o->batch > 0}};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (own[i].given)
            problems_add_setting(job->problems, (struct location){records->path, 1, 0}, own[i].name,
                                 "the rows of these tables have their own");
}

static bool begin_mlenergy(struct records_job *job, struct records *records) {
    struct reader *r = job->context;
    size_t before = job->problems->count;
    r->is_serving = records_column(records, "max_num_seqs") >= 0;
    r->before = r->rows.count;
    memset(r->left_out, 0, sizeof r->left_out);
    if (!r->is_serving && records_column(records, "batch_size") < 0) {
        problems_add(job->problems, (struct location){records->path, 1, 0}, NULL,
                     "expected a column \"batch_size\" (generation) or \"max_num_seqs\" (serving)");
        return false;
    }
    refuse_options(job, records);
    for (int c = 0; c < COLUMNS; c++) {
        const char *name = column_names[r->is_serving][c];
        r->columns[c] = name ? records_column(records, name) : -1;
        if (!is_required((enum column)c, r->is_serving) || r->columns[c] >= 0)
            continue;
        bool of_table = r->is_serving && (c == POWER || (c >= RUNNING && c < LAYOUT));
        problems_add(job->problems, (struct location){records->path, 1, 0}, NULL,
                     "column \"%s\" is missing%s", name,
                     of_table ? ": there is no serving table without it" : "");
    }
    return job->problems->count == before;
}

/* ---- Rows ---- */

/* Small letters, hyphens for blanks: as scenarios name GPU types. */
static const char *gpu_name(struct records_job *job, struct slice cell) {
    char *name = arena_strndup(&job->profile->arena, cell.at, cell.length);
    for (char *at = name; *at; at++)
        *at = *at == ' ' ? '-' : (char)tolower((unsigned char)*at);
    return name;
}

static bool whole_cell(const struct records *records, int column, int64_t most, int64_t *value) {
    struct slice cell = records_cell(records, column);
    return cell.length > 0 && slice_parse_whole(cell, value) && *value >= 1 && *value <= most;
}

/* "ulysses 2 x ring 4": all degrees above 1; "" if there is none. */
static const char *layout_of(struct records_job *job, const struct records *records,
                             const struct reader *reader) {
    struct str text = {0};
    int64_t degree;
    str_add(&text, "");
    for (int i = 0; i < LAYOUT_PARTS; i++)
        if (whole_cell(records, reader->columns[LAYOUT + i], MOST_GPUS, &degree) && degree > 1)
            str_addf(&text, "%s%s %lld", text.length > 0 ? " x " : "",
                     layout_names[reader->is_serving][i], (long long)degree);
    const char *layout = arena_strndup(&job->profile->arena, text.text, text.length);
    str_finish(&text);
    return layout;
}

static bool differs(double a, double b) {
    return fabs(a - b) > MAY_DIFFER * b;
}

/* REASONS: the row is fine. energy_j and batch_s: NAN where not given. */
static enum reason why_useless(const struct mlenergy_row *row, double energy_j, double batch_s) {
    if (!(row->power_w > 0))
        return NO_POWER;
    if (!(row->per_s > 0))
        return NO_RATE;
    if (differs(energy_j, row->power_w / row->per_s))
        return OTHER_ENERGY;
    if (differs(row->per_s, row->batch / batch_s))
        return OTHER_TIME;
    if (!row->is_serving)
        return REASONS;
    for (int q = 0; q < PROFILE_QUANTILES; q++)
        if (!(row->itl_ms[q] > 0))
            return NO_QUANTILE;
    for (int q = 1; q < PROFILE_QUANTILES; q++)
        if (row->itl_ms[q] < row->itl_ms[q - 1])
            return FALLING;
    if (!(row->running > 0))
        return NO_QUANTILE;
    return row->running > row->batch ? ABOVE_LIMIT : REASONS;
}

static bool read_names(struct records_job *job, const struct records *records,
                       const struct reader *reader, struct mlenergy_row *row) {
    int64_t gpus, batch;
    if (!whole_cell(records, reader->columns[GPUS], MOST_GPUS, &gpus) ||
        !whole_cell(records, reader->columns[BATCH], MOST_BATCH, &batch))
        return false;
    *row =
        (struct mlenergy_row){.model = records_text(job, records, reader->columns[MODEL]),
                              .task = records_text(job, records, reader->columns[TASK]),
                              .precision = records_text(job, records, reader->columns[PRECISION]),
                              .gpu = gpu_name(job, records_cell(records, reader->columns[GPU])),
                              .layout = layout_of(job, records, reader),
                              .path = records->path,
                              .line = records_line(records),
                              .gpus = (uint32_t)gpus,
                              .is_serving = reader->is_serving,
                              .batch = (double)batch};
    return row->model && row->task && row->gpu[0];
}

static bool read_mlenergy_row(struct records_job *job, struct records *records) {
    struct reader *r = job->context;
    struct mlenergy_row row;
    bool is_bad = false;
    double numbers[COLUMNS];
    if (!records_fits(records) || !read_names(job, records, r, &row))
        return false;
    for (int c = RATE; c < LAYOUT; c++)
        numbers[c] = records_number(records, r->columns[c], TELEMETRY_PLAIN, &is_bad);
    if (is_bad)
        return false;
    row.per_s = numbers[RATE];
    row.power_w = numbers[POWER];
    row.running = numbers[RUNNING];
    memcpy(row.itl_ms, &numbers[P50], sizeof row.itl_ms);
    enum reason reason = why_useless(&row, numbers[ENERGY], numbers[SECONDS]);
    if (reason == REASONS)
        array_push(&r->rows, row);
    else if (r->left_out[reason]++ == 0)
        r->first_lines[reason] = row.line;
    return true;
}

/* A file none of whose rows is of use is refused with the reasons. */
static void end_mlenergy(struct records_job *job, struct records *records) {
    struct reader *r = job->context;
    bool refused = r->rows.count == r->before || job->options->strict;
    for (int reason = 0; reason < REASONS; reason++) {
        if (r->left_out[reason] == 0)
            continue;
        job->profile->damaged = true;
        problems_add(refused ? job->problems : &job->profile->notes,
                     (struct location){records->path, r->first_lines[reason], 0}, NULL,
                     "%llu rows left out, of which this is the first: %s%s",
                     (unsigned long long)r->left_out[reason], reason_texts[reason],
                     r->is_serving && (reason == NO_POWER || reason == NO_QUANTILE)
                         ? "; there is no serving table without it"
                         : "");
    }
}

static void conclude_mlenergy(struct records_job *job) {
    const struct reader *r = job->context;
    mlenergy_rows_add(job, (struct mlenergy_rows){r->rows.at, r->rows.count});
}

static void finish_mlenergy(void *context) {
    struct reader *r = context;
    free(r->rows.at);
}

const struct profile_reader mlenergy_reader = {
    "mlenergy", "image and video generation, LLM serving of the ML.ENERGY Benchmark", NULL, 0,
    &(const struct records_format){sizeof(struct reader), false, begin_mlenergy, read_mlenergy_row,
                                   end_mlenergy, conclude_mlenergy, finish_mlenergy}};
