/* Cases of validation: see case.h. */
#include "experiment/validate/case.h"

#include "base/mem.h"
#include "base/numfmt.h"
#include "base/units.h"
#include "io/csv.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- validate_meter --- */

#define GRID       1e-6 /* of a step, by which a reading may be off */
#define FINE_PARTS 10
#define LEAST_S    1e-3

static const char *const figure_names[METER_FIGURES] = {
    [METER_MEAN] = "meter_mean_w", [METER_ABSOLUTE] = "meter_absolute_error"};

enum validate_meter_figure validate_meter_find(const char *metric) {
    for (int f = METER_NO_FIGURE + 1; f < METER_FIGURES; f++)
        if (strcmp(metric, figure_names[f]) == 0)
            return (enum validate_meter_figure)f;
    return METER_NO_FIGURE;
}

static bool is_on_grid(double time_s, double step_s) {
    return fabs(time_s / step_s - round(time_s / step_s)) <= GRID;
}

double validate_meter_step_s(const struct validate_meter *meter) {
    const struct meter *m = &meter->meter;
    bool grid = true;
    for (size_t i = 0; i < m->count && grid; i++)
        grid = is_on_grid(m->at[i].begin_s, m->step_s) && is_on_grid(m->at[i].end_s, m->step_s);
    return fmax(LEAST_S, grid ? m->step_s : m->step_s / FINE_PARTS);
}

void validate_power_compare(struct validate_power *power, const struct validate_meter *meter,
                            const struct meter *run) {
    const struct meter *m = &meter->meter;
    size_t first = 0, end = m->count;
    while (first < end && !(m->at[first].end_s > meter->from_s))
        first++;
    while (end > first && m->at[end - 1].end_s > meter->to_s)
        end--;
    power->predicted_w = mem_alloc((end - first) * sizeof *power->predicted_w);
    power->curves = (struct meter_curves){&m->at[first], power->predicted_w, end - first};
    meter_means(run, power->curves.at, power->curves.count, power->predicted_w);
    power->errors = meter_errors_between(&power->curves, -INFINITY, INFINITY);
    power->unknown = power->curves.count - power->errors.readings;
}

void validate_power_finish(struct validate_power *power) {
    free(power->predicted_w);
    *power = (struct validate_power){.predicted_w = NULL};
}

/* --- job_table --- */

#define MOST_GPUS 1048576

const char *const job_column_names[] = {JOB_COLUMN_ROWS(NAME_OF), NULL};

const char *job_column_unit(enum job_column column) {
    return column == JOB_ENERGY ? "J" : column == JOB_GPUS ? "GPUs" : "s";
}

struct reader {
    struct job_table *table;
    const struct job_table_source *source;
    struct csv *csv;
    struct problems *problems;
    int id, columns[JOB_COLUMN_COUNT];
    int *where;
};

static const char *column_name(const struct reader *r, enum job_column column) {
    return r->source->names[column] ? r->source->names[column] : job_column_names[column];
}

/* ---- The header ---- */

static bool is_needed(const struct reader *r, enum job_column column) {
    for (size_t i = 0; i < r->source->needed_count; i++)
        if (r->source->needed[i] == column)
            return true;
    return r->source->names[column] != NULL;
}

static int find_job_columns(struct reader *r) {
    size_t before = r->problems->count;
    r->id = csv_needed_column(r->csv, "job_id", r->problems);
    for (enum job_column c = 0; c < JOB_COLUMN_COUNT; c++) {
        const char *name = column_name(r, c);
        r->columns[c] = is_needed(r, c) ? csv_needed_column(r->csv, name, r->problems)
                                        : csv_column(r->csv, name);
        r->table->has[c] = r->columns[c] >= 0;
    }
    for (size_t i = 0; i < r->source->where_count; i++)
        r->where[i] = csv_needed_column(r->csv, r->source->where[i].column, r->problems);
    return r->problems->count > before ? ERROR_INPUT : 0;
}

/* ---- Rows ---- */

static bool is_wanted(const struct reader *r) {
    for (size_t i = 0; i < r->source->where_count; i++)
        if (!slice_is(csv_field(r->csv, r->where[i]), r->source->where[i].text))
            return false;
    return true;
}

/* Whether the cell is empty, which leaves NAN, or a number that the column may hold. */
static bool read_job_cell(const struct reader *r, enum job_column column, double *value) {
#define EXPECTED(column, name, text) [column] = text
    static const char *const expected[JOB_COLUMN_COUNT] = {JOB_COLUMN_ROWS(EXPECTED)};
#undef EXPECTED
    struct slice cell = csv_field(r->csv, r->columns[column]);
    *value = NAN;
    if (cell.length == 0)
        return true;
    bool instant = column == JOB_SUBMIT || column == JOB_START || column == JOB_FINISH;
    double least = instant ? -TIME_MAX_S : column == JOB_GPUS ? 1 : 0;
    double most = column == JOB_ENERGY ? 1e300 : column == JOB_GPUS ? MOST_GPUS : TIME_MAX_S;
    double read;
    bool good = numfmt_parse_real(cell.at, cell.length, &read) && read >= least && read <= most &&
                (column != JOB_GPUS || read == floor(read));
    if (good)
        *value = read;
    else
        csv_refuse(r->csv, r->columns[column], column_name(r, column), expected[column],
                   r->problems);
    return good;
}

/* An instant that is before one that it cannot be before. */
static bool is_in_order(const struct reader *r, const struct job_row *row, enum job_column first,
                        enum job_column second) {
    if (!(job_time_between(row->values[first], row->values[second]) < 0))
        return true;
    problems_add(r->problems, csv_where(r->csv, r->columns[second]), column_name(r, second),
                 "expected a time not before %s (%.9g), got %.9g", column_name(r, first),
                 row->values[first], row->values[second]);
    return false;
}

static void read_job_row(void *context) {
    struct reader *r = context;
    struct job_row row = {.line = csv_where(r->csv, -1).line};
    struct slice id = csv_field(r->csv, r->id);
    bool is_new = true, good = true;
    if (!is_wanted(r)) {
        r->table->left_out++;
        return;
    }
    if (id.length == 0) {
        csv_refuse(r->csv, r->id, "job_id", "the id of a job", r->problems);
        return;
    }
    for (enum job_column c = 0; c < JOB_COLUMN_COUNT; c++)
        good = read_job_cell(r, c, &row.values[c]) && good;
    good = is_in_order(r, &row, JOB_SUBMIT, JOB_START) && good;
    good = is_in_order(r, &row, JOB_START, JOB_FINISH) && good;
    good = is_in_order(r, &row, JOB_SUBMIT, JOB_FINISH) && good;
    uint32_t number = intern(&r->table->ids, id.at, id.length, &is_new);
    if (is_new)
        array_push(&r->table->rows, row);
    else
        problems_add(r->problems, csv_where(r->csv, r->id), "job_id",
                     "job \"%.80s\" is in line %u already", intern_text(&r->table->ids, number),
                     r->table->rows.at[number].line);
    if (is_new && good)
        job_row_complete(&r->table->rows.at[number]);
}

bool job_table_tells(const struct job_table *table, enum job_column column) {
    return table->has[column] || (column == JOB_JCT && table->has[JOB_FINISH]) ||
           (column == JOB_WAIT && table->has[JOB_START]);
}

double job_time_between(double first_s, double second_s) {
    double between_s = second_s - first_s;
    return fabs(between_s) <= fmax(1e-9, DBL_EPSILON * fabs(first_s)) ? 0 : between_s;
}

void job_row_complete(struct job_row *row) {
    double *v = row->values;
    v[JOB_WAIT] = isnan(v[JOB_WAIT]) ? job_time_between(v[JOB_SUBMIT], v[JOB_START]) : v[JOB_WAIT];
    v[JOB_RUN] = isnan(v[JOB_RUN]) ? job_time_between(v[JOB_START], v[JOB_FINISH]) : v[JOB_RUN];
    v[JOB_JCT] = isnan(v[JOB_JCT]) ? job_time_between(v[JOB_SUBMIT], v[JOB_FINISH]) : v[JOB_JCT];
}

int job_table_read(struct job_table *table, const struct job_table_source *source,
                   struct problems *problems) {
    struct reader r = {.table = table, .source = source, .problems = problems};
    struct error error = {0};
    size_t before = problems->count;
    if (csv_open(source->path, ',', &r.csv, &error) < 0)
        return problems_say(problems, "%s", error.text);
    r.where = mem_zalloc(source->where_count, sizeof *r.where);
    if (find_job_columns(&r) == 0)
        csv_each_row(r.csv, problems, read_job_row, &r);
    bool *has = table->has;
    has[JOB_WAIT] = has[JOB_WAIT] || (has[JOB_START] && has[JOB_SUBMIT]);
    has[JOB_RUN] = has[JOB_RUN] || (has[JOB_FINISH] && has[JOB_START]);
    has[JOB_JCT] = has[JOB_JCT] || (has[JOB_FINISH] && has[JOB_SUBMIT]);
    if (problems->count == before && table->rows.count == 0)
        problems_add(problems, (struct location){.file = source->path}, NULL,
                     "expected a row for each job, got none%s",
                     table->left_out > 0 ? " that matches where" : "");
    free(r.where);
    csv_close(r.csv);
    return problems->count > before ? ERROR_INPUT : 0;
}

const struct job_row *job_table_find(const struct job_table *table, const char *id, size_t length) {
    uint32_t number = intern_find(&table->ids, id, length);
    return number == INTERN_NONE ? NULL : &table->rows.at[number];
}

void job_table_finish(struct job_table *table) {
    intern_finish(&table->ids);
    free(table->rows.at);
    *table = (struct job_table){.left_out = 0};
}

/* --- validate_case --- */

/* The source of the figures: validate_againsts. */
enum validate_against { AGAINST_MEASUREMENT, AGAINST_SIMULATOR, AGAINST_THEORY };

const char *const validate_kinds[] = {"prediction", "replay", "policy", "power", NULL};
const char *const validate_againsts[] = {"measurement", "simulator", "theory", NULL};
const char *const validate_overs[] = {
    "mean", "sum", "median_error", "p90_error", "mean_error", "most_error", NULL};

const char **validate_case_set_texts(const struct validate_case *v, struct arena *arena) {
    const char **texts = arena_alloc(arena, (v->sets.count + 1) * sizeof *texts);
    for (size_t i = 0; i < v->sets.count; i++)
        texts[i] = arena_printf(arena, "%s=%s", v->sets.at[i].path.text, v->sets.at[i].yaml);
    return texts;
}

void validate_case_finish(struct validate_case *v) {
    job_table_finish(&v->jobs);
    free(v->data.at);
    yaml_doc_finish(&v->doc);
}

/* --- facts --- */

struct fact_reader {
    const struct fact *fact;
    struct csv *csv;
    struct problems *problems;
    int column;
    size_t found;
    double value;
};

static void read_fact_row(void *context) {
    struct fact_reader *r = context;
    for (size_t i = 0; i < r->fact->where_count; i++)
        if (!slice_is(csv_field(r->csv, csv_column(r->csv, r->fact->where[i].column)),
                      r->fact->where[i].text))
            return;
    struct slice cell = csv_field(r->csv, r->column);
    if (r->found++ == 0 && !numfmt_parse_real(cell.at, cell.length, &r->value))
        csv_refuse(r->csv, r->column, r->fact->column, "a number", r->problems);
}

static void find_fact_column(struct fact_reader *r, const char *name) {
    if (csv_column(r->csv, name) < 0)
        problems_add(r->problems, r->fact->where_of, r->fact->path_of, "%s has no column \"%.80s\"",
                     r->fact->file, name);
}

int fact_read(const struct fact *fact, double *ret_value, struct problems *problems) {
    struct fact_reader r = {.fact = fact, .problems = problems};
    struct error error = {0};
    size_t before = problems->count;
    if (csv_open(fact->file, ',', &r.csv, &error) < 0)
        return problems_add(problems, fact->where_of, fact->path_of, "%s", error.text);
    find_fact_column(&r, fact->column);
    for (size_t i = 0; i < fact->where_count; i++)
        find_fact_column(&r, fact->where[i].column);
    r.column = csv_column(r.csv, fact->column);
    if (problems->count == before)
        csv_each_row(r.csv, problems, read_fact_row, &r);
    if (problems->count == before && r.found != 1)
        problems_add(problems, fact->where_of, fact->path_of,
                     "expected one row of %s that matches where, got %zu", fact->file, r.found);
    csv_close(r.csv);
    if (problems->count > before)
        return ERROR_INPUT;
    *ret_value = r.value;
    return 0;
}
