/* Reading and grouping of profiles. Invariant: after loading, the rows of a group stand together,
 * as in profile_table.h.
 */
#include "calibrate/profile_table.h"

#include "base/numfmt.h"
#include "config/csv_reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Of any iteration: beyond, a column holds something else, too large for a model file. */
#define LEAST_ITERATION_S 1e-6
#define MOST_ITERATION_S  1e5

#define SAME 1e-6 /* relative: what two columns say of one figure, as written */

#define LEAST_SERVING 1e-9 /* of a serving table: requests, tokens or outputs per second */

#define SAME_SPEED 0.02 /* of rows with a limit that limits nothing, in the mean */

/* Of rows of samples, of tokens and of outputs: what a row of the file holds. */
struct cells {
    struct profile_point point;
    struct inference_row inference; /* without what point has */
    const char *precision;
    double global_batch;
    double itl_ms[SERVING_QUANTILES], latency_ms;
};

const char *const profile_scope_names[] = {"gpu", "node", "node_ac", "node_dc", NULL};
/* Of a measurement: not by a change of a model file. */
static const char *const evidence_words[] = {"measured", "derived", "assumed", NULL};

#define MOST         RANGE(1, 1e6)
#define FIGURE(most) ABOVE(0, most), DEFAULT(NAN)

static const struct field profile_columns[] = {
    {"model", STRING(cells, point.model), REQUIRED},
    {"gpu", STRING(cells, point.gpu), REQUIRED},
    {"k", COUNT(cells, point.k), REQUIRED, MOST},
    {"batch_per_gpu", REAL(cells, point.batch), REQUIRED, ABOVE(0, BATCH_MOST)},
    {"throughput_samples_s", REAL(cells, point.throughput_samples_s), REQUIRED, WITH_GAPS,
     FIGURE(1e12)},
    {"precision", STRING(cells, precision)},
    {"nodes", COUNT(cells, point.nodes), MOST, DEFAULT(1)},
    {"power_limit_w", REAL(cells, point.limit_w), FIGURE(1e5)},
    {"power_w_per_gpu", REAL(cells, point.power_w), FIGURE(1e5)},
    {"evidence", CHOICE(cells, point.evidence, evidence_words)},
    {"source", STRING(cells, point.source), DEFAULT_TEXT("")},
    {"global_batch", REAL(cells, global_batch), FIGURE(1e15)},
    {"grad_accum", COUNT(cells, point.grad_accum), MOST, DEFAULT(1)},
    {"samples_to_target", REAL(cells, point.samples_to_target), FIGURE(1e18)},
    {"run_s", REAL(cells, point.run_s), FIGURE(1e9)},
    {"node_power_w", REAL(cells, point.node_power_w), FIGURE(1e6)},
    {"node_floor_w", REAL(cells, point.node_floor_w), FIGURE(1e6)},
    {"power_scope", CHOICE(cells, point.scope, profile_scope_names)},
    {"round", STRING(cells, point.round), DEFAULT_TEXT("")},
    {"runs", COUNT(cells, point.runs), MOST, DEFAULT(1)},
    {"unit", CHOICE(cells, inference.unit, work_unit_names)},
    {"prompt", STRING(cells, inference.prompt), DEFAULT_TEXT("")},
    {"batch_limit", REAL(cells, inference.limit), FIGURE(1e9)},
    {"running_batch", REAL(cells, inference.running), FIGURE(1e9)},
    {"itl_p50_ms", REAL(cells, itl_ms[0]), FIGURE(1e9)},
    {"itl_p90_ms", REAL(cells, itl_ms[1]), FIGURE(1e9)},
    {"itl_p95_ms", REAL(cells, itl_ms[2]), FIGURE(1e9)},
    {"itl_p99_ms", REAL(cells, itl_ms[3]), FIGURE(1e9)},
    {"latency_ms", REAL(cells, latency_ms), FIGURE(1e9)},
    FIELDS_END};

struct reader {
    struct csv_reader csv;
    struct profile_table *profile;
};

static void refuse_cell(const struct reader *reader, const char *column, const char *expected) {
    csv_reader_refuse(&reader->csv, column, expected);
}

/* Refuses each of the columns, which end with NULL, of which the row has a cell. */
static void refuse_cells(const struct reader *reader, const char *const *columns,
                         const char *expected) {
    for (; *columns; columns++)
        if (csv_reader_cell(&reader->csv, *columns).length > 0)
            refuse_cell(reader, *columns, expected);
}

/* With the precision behind it. */
static const char *model_name(const struct reader *reader, const struct cells *cells) {
    struct str name = {0};
    if (!cells->precision)
        return cells->point.model;
    str_addf(&name, "%s-%s", cells->point.model, cells->precision);
    uint32_t number = intern(&reader->profile->texts, name.text, name.length, NULL);
    str_finish(&name);
    return intern_text(&reader->profile->texts, number);
}

/* The group of a row, made on first sight. Texts are interned: equal ones have one address. */
static uint32_t group_of(struct profile_table *profile, const struct profile_point *row) {
    const char *key[] = {row->model, row->gpu};
    bool is_new = false;
    uint32_t number = intern(&profile->keys, key, sizeof key, &is_new);
    if (is_new)
        array_push(&profile->groups,
                   ((struct profile_group){.model = row->model, .gpu = row->gpu}));
    return number;
}

/* ---- Cells that contradict each other ---- */

static bool differ(double a, double b) {
    return fabs(a - b) > SAME * fmax(fabs(a), fabs(b));
}

static void check_batches(const struct reader *r, const struct cells *cells) {
    double expected = cells->point.k * cells->point.batch;
    char text[80];
    snprintf(text, sizeof text, "k x batch_per_gpu, %.9g", expected);
    if (!isnan(cells->global_batch) && differ(cells->global_batch, expected))
        refuse_cell(r, "global_batch", text);
}

/* A node's power has a scope and agrees with what its GPUs are said to draw. Its share is the power
   of a GPU. */
static void check_powers(const struct reader *r, struct profile_point *row) {
    bool of_node = row->scope != PROFILE_SCOPE_GPU;
    double share_w = row->node_power_w * row->nodes / row->k;
    char text[80];
    snprintf(text, sizeof text, "the GPU's share of node_power_w, %.9g, or empty", share_w);
    if (!isnan(row->node_power_w) && !of_node)
        refuse_cell(r, "power_scope", "node, node_ac or node_dc, as there is node_power_w");
    else if (of_node && isnan(row->node_power_w) && isnan(row->power_w))
        refuse_cell(r, "power_scope", "no scope of a power that is not there");
    else if (!isnan(row->node_power_w) && !isnan(row->power_w) && differ(row->power_w, share_w))
        refuse_cell(r, "power_w_per_gpu", text);
    else if (row->node_floor_w > row->node_power_w)
        refuse_cell(r, "node_floor_w", "at most node_power_w");
    if (isnan(row->power_w))
        row->power_w = share_w;
}

static void check_iteration(const struct reader *r, const struct profile_point *row) {
    double iteration_s = row->k * row->batch / row->throughput_samples_s;
    if (!(iteration_s >= LEAST_ITERATION_S && iteration_s <= MOST_ITERATION_S))
        problems_add(
            r->csv.problems, csv_reader_where(&r->csv, "throughput_samples_s"),
            "throughput_samples_s",
            "expected an iteration of 1e-6..1e5 s, got %g s (k x batch_per_gpu / throughput_samples_s)",
            iteration_s);
}

/* ---- Rows of inference ---- */

#define ITL_COLUMNS "itl_p50_ms", "itl_p90_ms", "itl_p95_ms", "itl_p99_ms"

static const char *const serving_columns[] = {"prompt",    "batch_limit", "running_batch",
                                              ITL_COLUMNS, "latency_ms",  NULL};

static void read_latencies(const struct reader *r, const struct cells *cells,
                           struct inference_row *row) {
    static const char *const columns[] = {ITL_COLUMNS, NULL};
    bool tokens = row->unit == UNIT_TOKEN;
    if (!tokens && isnan(cells->latency_ms))
        refuse_cell(r, "latency_ms", "ms > 0: a serving table of outputs needs it");
    if (!tokens)
        refuse_cells(r, columns, "nothing: outputs have one latency");
    for (int q = 0; q < SERVING_QUANTILES; q++) {
        row->latency_ms[q] = tokens ? cells->itl_ms[q] : cells->latency_ms;
        if (isnan(row->latency_ms[q]) && tokens)
            refuse_cell(r, columns[q],
                        "a quantile in ms: a serving table of tokens needs all four");
        else if (q > 0 && row->latency_ms[q] < row->latency_ms[q - 1])
            refuse_cell(r, columns[q], "at least the quantile before it");
    }
    if (tokens && !isnan(cells->latency_ms))
        refuse_cell(r, "latency_ms", "nothing: tokens have quantiles");
}

/* "included", or a number. */
static bool is_prompt(const char *text) {
    double equivalents;
    return strcmp(text, "included") == 0 || (numfmt_parse_real(text, strlen(text), &equivalents) &&
                                             equivalents >= 0 && equivalents <= 1e6);
}

static void read_serving_cells(const struct reader *r, const struct cells *cells,
                               struct inference_row *row) {
    if (row->per_s < LEAST_SERVING || row->running < LEAST_SERVING)
        refuse_cell(r, row->per_s < LEAST_SERVING ? "throughput_samples_s" : "running_batch",
                    "at least 1e-9, as a serving table");
    read_latencies(r, cells, row);
    if (row->running > row->limit)
        refuse_cell(r, "running_batch", "at most batch_limit");
    if (row->unit == UNIT_TOKEN && !is_prompt(row->prompt))
        refuse_cell(r, "prompt", "included, or the tokens that a prompt token equals");
    else if (row->unit != UNIT_TOKEN && row->prompt[0])
        refuse_cell(r, "prompt", "nothing: outputs have no prompts");
}

/* A generation of outputs, or a point of a serving table where there is a running batch. */
static void read_inference_row(const struct reader *r, const struct cells *cells) {
    static const char *const of_samples[] = {"nodes",
                                             "global_batch",
                                             "grad_accum",
                                             "samples_to_target",
                                             "run_s",
                                             "node_power_w",
                                             "node_floor_w",
                                             "power_scope",
                                             "round",
                                             "runs",
                                             NULL};
    size_t before = r->csv.problems->count;
    const struct profile_point *from = &cells->point;
    struct inference_row row = cells->inference;
    row.evidence = from->evidence;
    row.k = from->k;
    row.line = from->line;
    row.batch = from->batch;
    row.per_s = from->throughput_samples_s;
    row.power_w = from->power_w;
    if (isnan(from->power_w))
        refuse_cell(r, "power_w_per_gpu", "the power: tables of tokens or outputs need it");
    if (!isnan(from->limit_w))
        refuse_cell(r, "power_limit_w", "no power limit in a row of tokens or outputs");
    refuse_cells(r, of_samples, "nothing in a row of tokens or outputs");
    if (!isnan(row.running))
        read_serving_cells(r, cells, &row);
    else if (row.unit == UNIT_TOKEN)
        refuse_cell(r, "running_batch",
                    "the mean of the requests at once: tokens come of serving only");
    else
        refuse_cells(r, serving_columns, "nothing if there is no running batch");
    if (r->csv.problems->count > before)
        return;
    row.model = model_name(r, cells);
    row.gpu = from->gpu;
    row.source = from->source;
    array_push(&r->profile->inference, row);
}

/* ---- Rows ---- */

static void read_point(const struct reader *r, struct cells *cells, bool is_reading) {
    size_t before = r->csv.problems->count;
    struct profile_point *row = &cells->point;
    row->across_nodes = row->nodes > 1;
    refuse_cells(r, serving_columns, "nothing where the unit is not token or output");
    if (row->nodes > row->k)
        refuse_cell(r, "nodes", "at most as many nodes as GPUs");
    check_batches(r, cells);
    check_powers(r, row);
    if (r->csv.problems->count == before && !is_reading)
        check_iteration(r, row);
    if (r->csv.problems->count > before)
        return;
    row->model = model_name(r, cells);
    if (is_reading) {
        array_push(&r->profile->readings, *row);
        return;
    }
    row->group = group_of(r->profile, row);
    array_push(&r->profile->rows, *row);
}

static void read_profile_row(void *context) {
    const struct reader *r = context;
    struct cells cells = {.point = {.line = csv_reader_line(&r->csv)}};
    bool good = csv_reader_row(&r->csv, &cells);
    bool is_reading = csv_reader_cell(&r->csv, "throughput_samples_s").length == 0 &&
                      csv_reader_cell(&r->csv, "node_power_w").length > 0;
    if (good && isnan(cells.point.throughput_samples_s) && !is_reading)
        refuse_cell(r, "throughput_samples_s", "number > 0 and <= 1e12");
    else if (good && cells.inference.unit != UNIT_SAMPLE)
        read_inference_row(r, &cells);
    else if (good)
        read_point(r, &cells, is_reading);
}

static int compare_limits(double a, double b) {
    if (isnan(a) || isnan(b))
        return isnan(b) - isnan(a);
    return (a < b) - (a > b);
}

int profile_compare_places(const struct profile_point *a, const struct profile_point *b) {
    ASC(across_nodes)
    ASC(k)
    return COMPARE(a->batch, b->batch);
}

ORDER_BY(compare_points, struct profile_point,
         ASC(group) THEN(compare_limits(a->limit_w, b->limit_w)) THEN(profile_compare_places(a, b))
             ASC(line))

/* Rows of one model name count the same thing, and all points say the same of prompts. */
static void check_inference(const struct profile_table *profile, struct problems *problems) {
    const struct inference_row *rows = profile->inference.at, *one = NULL;
    struct intern models = {0};
    ARRAY_OF(const struct inference_row *) firsts = {0};
    for (size_t i = 0; i < profile->inference.count; i++) {
        bool is_new;
        struct location where = {profile->file, rows[i].line, 0};
        uint32_t number = intern(&models, &rows[i].model, sizeof rows[i].model, &is_new);
        if (is_new)
            array_push(&firsts, &rows[i]);
        one = firsts.at[number];
        if (one->unit != rows[i].unit)
            problems_add(problems, where, NULL, "expected the unit of model \"%s\" as in line %u",
                         one->model, (unsigned)one->line);
        else if (one->unit == UNIT_TOKEN && one->prompt != rows[i].prompt)
            problems_add(problems, where, NULL, "expected the prompt of model \"%s\" as in line %u",
                         one->model, (unsigned)one->line);
    }
    for (size_t g = 0; g < profile->groups.count; g++) {
        uint32_t number = intern_find(&models, &profile->groups.at[g].model, sizeof(char *));
        if (number != INTERN_NONE)
            problems_add(problems, (struct location){profile->file, firsts.at[number]->line, 0},
                         NULL, "expected another name: model \"%s\" has rows of samples, too",
                         firsts.at[number]->model);
    }
    free(firsts.at);
    intern_finish(&models);
}

/* Mean relative difference of speed between the rows at a limit and those without one of the same
   places; 0: there is no such place. */
static double difference_at(const struct profile_group *group, double limit_w) {
    double sum = 0, n = 0;
    for (size_t i = 0; i < group->count; i++)
        for (size_t j = 0; group->rows[i].limit_w == limit_w && j < group->base_count; j++)
            if (profile_compare_places(&group->rows[i], &group->rows[j]) == 0) {
                sum +=
                    group->rows[i].throughput_samples_s / group->rows[j].throughput_samples_s - 1;
                n++;
            }
    return n > 0 ? sum / n : 0;
}

static double highest_limit(const struct profile_table *profile, const char *gpu) {
    double highest_w = 0;
    for (size_t i = 0; i < profile->rows.count; i++)
        if (profile->rows.at[i].gpu == gpu)
            highest_w = fmax(highest_w, profile->rows.at[i].limit_w);
    return highest_w;
}

/* The limit equal to the highest of the GPU type is no limit. */
static void merge_limits(struct profile_table *profile, struct profile_group *group) {
    if (!isnan(group->rows->limit_w) || group->count == group->base_count)
        return;
    double limit_w = highest_limit(profile, group->gpu);
    if (group->rows[group->base_count].limit_w != limit_w)
        return;
    double difference = difference_at(group, limit_w);
    if (fabs(difference) > SAME_SPEED) {
        group->differs = difference;
        return;
    }
    group->merged_w = limit_w;
    struct profile_point *rows = profile->rows.at + (group->rows - profile->rows.at);
    for (; group->base_count < group->count && rows[group->base_count].limit_w == limit_w;
         group->base_count++)
        rows[group->base_count].limit_w = NAN;
    sort_array(rows, group->base_count, compare_points);
}

static void group_rows(struct profile_table *profile) {
    sort_array(profile->rows.at, profile->rows.count, compare_points);
    for (size_t i = 0; i < profile->rows.count; i++) {
        const struct profile_point *row = &profile->rows.at[i];
        struct profile_group *group = &profile->groups.at[row->group];
        if (group->count == 0)
            group->rows = row;
        group->count++;
        if (compare_limits(group->rows->limit_w, row->limit_w) == 0)
            group->base_count++;
    }
    for (size_t i = 0; i < profile->groups.count; i++)
        if (profile->groups.at[i].count > 0)
            merge_limits(profile, &profile->groups.at[i]);
}

int profile_table_load(struct profile_table *profile, const char *path, struct problems *problems) {
    struct reader r = {.csv = {.columns = profile_columns,
                               .closed = true,
                               .problems = problems,
                               .texts = &profile->texts},
                       .profile = profile};
    size_t before = problems->count;
    profile->file = path;
    int status = csv_reader_load(&r.csv, path, read_profile_row, &r);
    if (status == 0 && profile->rows.count + profile->inference.count == 0)
        problems_add(problems, (struct location){.file = path}, NULL,
                     profile->readings.count > 0 ? "no row has a throughput"
                                                 : "the profile holds no rows");
    if (status == 0)
        check_inference(profile, problems);
    group_rows(profile);
    return problems->count > before ? ERROR_INPUT : 0;
}

void profile_table_finish(struct profile_table *profile) {
    free(profile->rows.at);
    free(profile->readings.at);
    free(profile->inference.at);
    free(profile->groups.at);
    intern_finish(&profile->texts);
    intern_finish(&profile->keys);
}
