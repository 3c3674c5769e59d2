/* A table of jobs from a CSV file: see job_table.h. */
#include "experiment/validate/job_table.h"

#include "base/numfmt.h"
#include "base/units.h"
#include "io/csv.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_GPUS 1048576

const char *const job_column_names[] = {
    [JOB_SUBMIT] = "submit_s", [JOB_START] = "start_s",   [JOB_FINISH] = "finish_s",
    [JOB_WAIT] = "wait_s",     [JOB_RUN] = "run_s",       [JOB_EXEC] = "exec_s",
    [JOB_JCT] = "jct_s",       [JOB_ENERGY] = "energy_j", [JOB_GPUS] = "gpus",
    [JOB_COLUMN_COUNT] = NULL};

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
    static const char *const expected[JOB_COLUMN_COUNT] = {
        [JOB_SUBMIT] = "a time in s within +-4e9",  [JOB_START] = "a time in s within +-4e9",
        [JOB_FINISH] = "a time in s within +-4e9",  [JOB_WAIT] = "a duration in s, 0..4e9",
        [JOB_RUN] = "a duration in s, 0..4e9",      [JOB_EXEC] = "a duration in s, 0..4e9",
        [JOB_JCT] = "a duration in s, 0..4e9",      [JOB_ENERGY] = "an energy in J, 0..1e300",
        [JOB_GPUS] = "a number of GPUs, 1..1048576"};
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
                     "job \"%.80s\" stands in line %u already", intern_text(&r->table->ids, number),
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
    if (csv_open(source->path, ',', &r.csv, &error) < 0) {
        problems_add(problems, (struct location){0}, NULL, "%s", error.text);
        return ERROR_INPUT;
    }
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
                     table->left_out > 0 ? " that is asked for" : "");
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
