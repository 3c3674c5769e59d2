/* Reading and grouping of profiles. Invariant: after loading, the rows of a group stand together,
 * as in profile_table.h.
 */
#include "calibrate/profile_table.h"

#include "base/numfmt.h"
#include "io/csv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Of any iteration: beyond, a column holds something else, too large for a model file. */
#define LEAST_ITERATION_S 1e-6
#define MOST_ITERATION_S  1e5

#define MOST_GLOBAL_BATCH 1e15 /* 10^6 GPUs of 10^9 */
#define SAME              1e-6 /* relative: what two columns say of one figure, as written */

#define LEAST_SERVING 1e-9 /* of a serving table: requests, tokens or outputs per second */

#define SAME_SPEED 0.02 /* of rows with a limit that limits nothing, in the mean */

#define COLUMNS(X) \
    X(MODEL, "model"), X(GPU, "gpu"), X(K, "k"), X(BATCH, "batch_per_gpu"), \
        X(THROUGHPUT, "throughput_samples_s"), X(PRECISION, "precision"), X(NODES, "nodes"), \
        X(LIMIT, "power_limit_w"), X(POWER, "power_w_per_gpu"), X(EVIDENCE, "evidence"), \
        X(SOURCE, "source"), X(GLOBAL_BATCH, "global_batch"), X(GRAD_ACCUM, "grad_accum"), \
        X(SAMPLES, "samples_to_target"), X(RUN_S, "run_s"), X(NODE_POWER, "node_power_w"), \
        X(NODE_FLOOR, "node_floor_w"), X(SCOPE, "power_scope"), X(ROUND, "round"), \
        X(RUNS, "runs"), X(UNIT, "unit"), X(PROMPT, "prompt"), X(BATCH_LIMIT, "batch_limit"), \
        X(RUNNING, "running_batch"), X(ITL_P50, "itl_p50_ms"), X(ITL_P90, "itl_p90_ms"), \
        X(ITL_P95, "itl_p95_ms"), X(ITL_P99, "itl_p99_ms"), X(LATENCY, "latency_ms")
enum column { COLUMNS(ENUM_OF), COLUMN_COUNT };
#define FIRST_OPTIONAL PRECISION

static const char *const column_names[COLUMN_COUNT] = {COLUMNS(NAME_OF)};

const char *const profile_scope_names[] = {"gpu", "node", "node_ac", "node_dc", NULL};

struct reader {
    struct csv *csv;
    struct profile_table *profile;
    struct problems *problems;
    int columns[COLUMN_COUNT];
};

static struct slice field_of(const struct reader *reader, enum column column) {
    return csv_field(reader->csv, reader->columns[column]);
}

static void refuse_cell(const struct reader *reader, enum column column, const char *expected) {
    csv_refuse(reader->csv, reader->columns[column], column_names[column], expected,
               reader->problems);
}

/* A number in (0, most]; an empty optional field is NAN. */
static double positive_cell(const struct reader *reader, enum column column, double most,
                            const char *expected) {
    struct slice field = field_of(reader, column);
    double value = NAN;
    if (field.length == 0 && column >= FIRST_OPTIONAL)
        return NAN;
    if (!numfmt_parse_real(field.at, field.length, &value) || !(value > 0 && value <= most))
        refuse_cell(reader, column, expected);
    return value;
}

static uint32_t count_cell(const struct reader *reader, enum column column, int64_t most,
                           const char *expected) {
    struct slice field = field_of(reader, column);
    int64_t value = 1;
    if (field.length == 0 && column >= FIRST_OPTIONAL)
        return 1;
    if (!numfmt_parse_int(field.at, field.length, &value) || value < 1 || value > most)
        refuse_cell(reader, column, expected);
    return (uint32_t)value;
}

static const char *text_cell(const struct reader *reader, enum column column) {
    struct slice field = field_of(reader, column);
    const char *at = field.length > 0 ? field.at : "";
    return intern_text(&reader->profile->texts,
                       intern(&reader->profile->texts, at, field.length, NULL));
}

/* Without a word, a row of a profile is what its file is: measured. */
static enum evidence evidence_of(const struct reader *reader) {
    struct slice field = field_of(reader, EVIDENCE);
    for (int i = 0; i <= EVIDENCE_ASSUMED; i++)
        if (slice_is(field, evidence_names[i]))
            return (enum evidence)i;
    if (field.length > 0)
        refuse_cell(reader, EVIDENCE, "measured, derived, assumed or empty");
    return EVIDENCE_MEASURED;
}

static const char *model_name(const struct reader *reader) {
    struct slice model = field_of(reader, MODEL), precision = field_of(reader, PRECISION);
    struct str name = {0};
    str_add_bytes(&name, model.at, model.length);
    if (precision.length > 0) {
        str_add_char(&name, '-');
        str_add_bytes(&name, precision.at, precision.length);
    }
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

static enum profile_scope scope_of(const struct reader *reader) {
    struct slice field = field_of(reader, SCOPE);
    for (int i = 0; profile_scope_names[i]; i++)
        if (slice_is(field, profile_scope_names[i]))
            return (enum profile_scope)i;
    if (field.length > 0)
        refuse_cell(reader, SCOPE, "gpu, node, node_ac, node_dc or empty");
    return PROFILE_SCOPE_GPU;
}

/* ---- Cells that contradict each other ---- */

static bool differ(double a, double b) {
    return fabs(a - b) > SAME * fmax(fabs(a), fabs(b));
}

static void check_batches(const struct reader *r, const struct profile_point *row) {
    double expected = row->k * row->batch, global_batch = expected;
    if (field_of(r, GLOBAL_BATCH).length > 0)
        global_batch =
            positive_cell(r, GLOBAL_BATCH, MOST_GLOBAL_BATCH, "number > 0 and <= 1e15 or empty");
    char text[80];
    snprintf(text, sizeof text, "k x batch_per_gpu, %.9g", expected);
    if (global_batch > 0 && differ(global_batch, expected))
        refuse_cell(r, GLOBAL_BATCH, text);
}

/* A node's power has a scope and agrees with what its GPUs are said to draw. Its share is the power
   of a GPU. */
static void check_powers(const struct reader *r, struct profile_point *row) {
    bool of_node = row->scope != PROFILE_SCOPE_GPU;
    double share_w = row->node_power_w * row->nodes / row->k;
    char text[80];
    snprintf(text, sizeof text, "the GPU's share of node_power_w, %.9g, or empty", share_w);
    if (!isnan(row->node_power_w) && !of_node)
        refuse_cell(r, SCOPE, "node, node_ac or node_dc, as there is node_power_w");
    else if (of_node && isnan(row->node_power_w) && isnan(row->power_w))
        refuse_cell(r, SCOPE, "no scope of a power that is not there");
    else if (!isnan(row->node_power_w) && !isnan(row->power_w) && differ(row->power_w, share_w))
        refuse_cell(r, POWER, text);
    else if (row->node_floor_w > row->node_power_w)
        refuse_cell(r, NODE_FLOOR, "at most node_power_w");
    if (isnan(row->power_w))
        row->power_w = share_w;
}

static void check_iteration(const struct reader *r, const struct profile_point *row) {
    double iteration_s = row->k * row->batch / row->throughput_samples_s;
    if (!(iteration_s >= LEAST_ITERATION_S && iteration_s <= MOST_ITERATION_S))
        problems_add(
            r->problems, csv_where(r->csv, r->columns[THROUGHPUT]), column_names[THROUGHPUT],
            "expected an iteration of 1e-6..1e5 s, got %g s (k x batch_per_gpu / throughput_samples_s)",
            iteration_s);
}

/* ---- Rows ---- */

static void read_run_cells(const struct reader *r, struct profile_point *row) {
    row->nodes = count_cell(r, NODES, 1000000, "integer 1..1000000 or empty");
    row->across_nodes = row->nodes > 1;
    row->grad_accum = count_cell(r, GRAD_ACCUM, 1000000, "integer 1..1000000 or empty");
    row->runs = count_cell(r, RUNS, 1000000, "integer 1..1000000 or empty");
    row->samples_to_target = positive_cell(r, SAMPLES, 1e18, "number > 0 and <= 1e18 or empty");
    row->run_s = positive_cell(r, RUN_S, 1e9, "number > 0 and <= 1e9 or empty");
    row->node_power_w = positive_cell(r, NODE_POWER, 1e6, "number > 0 and <= 1e6 or empty");
    row->node_floor_w = positive_cell(r, NODE_FLOOR, 1e6, "number > 0 and <= 1e6 or empty");
    row->scope = scope_of(r);
    row->round = text_cell(r, ROUND);
}

/* ---- Rows of inference ---- */

static enum work_unit unit_of(const struct reader *reader) {
    struct slice field = field_of(reader, UNIT);
    for (int i = 0; work_unit_names[i]; i++)
        if (slice_is(field, work_unit_names[i]))
            return (enum work_unit)i;
    if (field.length > 0)
        refuse_cell(reader, UNIT, "sample, token, output or empty");
    return UNIT_SAMPLE;
}

/* Training has none of these. */
static void refuse_serving_cells(const struct reader *r) {
    for (int c = PROMPT; c <= LATENCY; c++)
        if (field_of(r, (enum column)c).length > 0)
            refuse_cell(r, (enum column)c, "nothing where the unit is not token or output");
}

static double needed_cell(const struct reader *r, enum column column, const char *expected) {
    double value = positive_cell(r, column, 1e9, expected);
    if (isnan(value) && field_of(r, column).length == 0)
        refuse_cell(r, column, expected);
    return value;
}

static void read_latencies(const struct reader *r, struct inference_row *row) {
    bool tokens = row->unit == UNIT_TOKEN;
    for (int q = 0; q < SERVING_QUANTILES; q++) {
        enum column own = (enum column)(ITL_P50 + q);
        size_t before = r->problems->count;
        if (tokens || q == 0)
            row->latency_ms[q] =
                needed_cell(r, tokens ? own : LATENCY,
                            tokens ? "a quantile in ms: a serving table of tokens needs all four"
                                   : "ms > 0: a serving table of outputs needs it");
        else
            row->latency_ms[q] = row->latency_ms[0];
        if (!tokens && field_of(r, own).length > 0)
            refuse_cell(r, own, "nothing: outputs have one latency");
        if (tokens && q > 0 && r->problems->count == before &&
            row->latency_ms[q] < row->latency_ms[q - 1])
            refuse_cell(r, own, "at least the quantile before it");
    }
    if (tokens && field_of(r, LATENCY).length > 0)
        refuse_cell(r, LATENCY, "nothing: tokens have quantiles");
}

static void read_serving_cells(const struct reader *r, struct inference_row *row) {
    struct slice prompt = field_of(r, PROMPT);
    double equivalents;
    row->running = positive_cell(r, RUNNING, 1e9, "number > 0 and <= 1e9");
    if ((row->running > 0 && row->running < LEAST_SERVING) || row->per_s < LEAST_SERVING)
        refuse_cell(r, row->per_s < LEAST_SERVING ? THROUGHPUT : RUNNING,
                    "at least 1e-9, as a serving table");
    row->limit = positive_cell(r, BATCH_LIMIT, 1e9, "number > 0 and <= 1e9 or empty");
    read_latencies(r, row);
    row->prompt = text_cell(r, PROMPT);
    if (row->running > row->limit)
        refuse_cell(r, RUNNING, "at most batch_limit");
    if (row->unit != UNIT_TOKEN ? prompt.length > 0
                                : !slice_is(prompt, "included") &&
                                      !(prompt.length > 0 &&
                                        numfmt_parse_real(prompt.at, prompt.length, &equivalents) &&
                                        equivalents >= 0 && equivalents <= 1e6))
        refuse_cell(r, PROMPT,
                    row->unit == UNIT_TOKEN ? "included, or the tokens that a prompt token equals"
                                            : "nothing: outputs have no prompts");
}

/* A generation of outputs, or a point of a serving table where there is a running batch. */
static void read_inference_row(const struct reader *r, const struct profile_point *from,
                               enum work_unit unit) {
    size_t before = r->problems->count;
    struct inference_row row = {.unit = unit,
                                .evidence = from->evidence,
                                .k = from->k,
                                .line = from->line,
                                .batch = from->batch,
                                .per_s = from->throughput_samples_s,
                                .power_w = from->power_w,
                                .limit = NAN,
                                .running = NAN};
    if (isnan(from->power_w))
        refuse_cell(r, POWER, "the power: tables of tokens or outputs need it");
    if (!isnan(from->limit_w))
        refuse_cell(r, LIMIT, "no power limit in a row of tokens or outputs");
    for (int c = NODES; c <= RUNS; c++)
        if ((c == NODES || c >= GLOBAL_BATCH) && field_of(r, (enum column)c).length > 0)
            refuse_cell(r, (enum column)c, "nothing in a row of tokens or outputs");
    if (field_of(r, RUNNING).length > 0)
        read_serving_cells(r, &row);
    else if (unit == UNIT_TOKEN)
        refuse_cell(r, RUNNING, "the mean of the requests at once: tokens come of serving only");
    else
        refuse_serving_cells(r);
    if (r->problems->count > before)
        return;
    row.model = model_name(r);
    row.gpu = text_cell(r, GPU);
    row.source = text_cell(r, SOURCE);
    array_push(&r->profile->inference, row);
}

static void read_profile_row(void *context) {
    const struct reader *r = context;
    size_t before = r->problems->count;
    bool is_reading = field_of(r, THROUGHPUT).length == 0 && field_of(r, NODE_POWER).length > 0;
    struct profile_point row = {.line = csv_where(r->csv, -1).line, .throughput_samples_s = NAN};
    if (field_of(r, MODEL).length == 0)
        refuse_cell(r, MODEL, "a name");
    if (field_of(r, GPU).length == 0)
        refuse_cell(r, GPU, "a name");
    row.k = count_cell(r, K, 1000000, "integer 1..1000000");
    row.batch = positive_cell(r, BATCH, BATCH_MOST, "number > 0 and <= 1000000000");
    if (!is_reading)
        row.throughput_samples_s = positive_cell(r, THROUGHPUT, 1e12, "number > 0 and <= 1e12");
    row.limit_w = positive_cell(r, LIMIT, 1e5, "number > 0 and <= 100000 or empty");
    row.power_w = positive_cell(r, POWER, 1e5, "number > 0 and <= 100000 or empty");
    row.evidence = evidence_of(r);
    enum work_unit unit = unit_of(r);
    if (unit != UNIT_SAMPLE && r->problems->count == before)
        read_inference_row(r, &row, unit);
    if (unit != UNIT_SAMPLE)
        return;
    refuse_serving_cells(r);
    read_run_cells(r, &row);
    if (r->problems->count == before && row.nodes > row.k)
        refuse_cell(r, NODES, "at most as many nodes as GPUs");
    if (r->problems->count == before)
        check_batches(r, &row);
    if (r->problems->count == before)
        check_powers(r, &row);
    if (r->problems->count == before && !is_reading)
        check_iteration(r, &row);
    if (r->problems->count > before)
        return;
    row.model = model_name(r);
    row.gpu = text_cell(r, GPU);
    row.source = text_cell(r, SOURCE);
    if (is_reading) {
        array_push(&r->profile->readings, row);
        return;
    }
    row.group = group_of(r->profile, &row);
    array_push(&r->profile->rows, row);
}

static int find_profile_columns(struct reader *reader, const char *path) {
    size_t before = reader->problems->count;
    struct arena scratch = {0};
    for (int c = 0; c < COLUMN_COUNT; c++) {
        reader->columns[c] = csv_column(reader->csv, column_names[c]);
        if (c < FIRST_OPTIONAL && reader->columns[c] < 0)
            problems_add(reader->problems, (struct location){path, 1, 0}, NULL,
                         "column \"%s\" is missing", column_names[c]);
    }
    for (size_t i = 0; i < csv_column_count(reader->csv); i++) {
        const char *name = csv_column_name(reader->csv, i);
        bool known = strncmp(name, "label.", 6) == 0;
        for (int c = 0; c < COLUMN_COUNT; c++)
            known |= reader->columns[c] == (int)i;
        if (known)
            continue;
        const char *hint = str_suggestion(&scratch, name, column_names, COLUMN_COUNT);
        problems_add(reader->problems, (struct location){path, 1, 0}, NULL,
                     "unknown column \"%.80s\"%s", name,
                     hint[0] ? hint : " (extra columns are named label.*)");
    }
    arena_finish(&scratch);
    return reader->problems->count > before ? ERROR_INPUT : 0;
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
    struct reader r = {.profile = profile, .problems = problems};
    struct error error = {0};
    size_t before = problems->count;
    profile->file = path;
    if (csv_open(path, ',', &r.csv, &error) < 0)
        return problems_say(problems, "%s", error.text);
    if (find_profile_columns(&r, path) == 0) {
        csv_each_row(r.csv, problems, read_profile_row, &r);
        if (profile->rows.count + profile->inference.count == 0 && problems->count == before)
            problems_add(problems, (struct location){.file = path}, NULL,
                         profile->readings.count > 0 ? "no row has a throughput"
                                                     : "the profile holds no rows");
        if (problems->count == before)
            check_inference(profile, problems);
        group_rows(profile);
    }
    csv_close(r.csv);
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
