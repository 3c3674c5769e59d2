/* Utilization over time: see utilization_file.h. Rows that change nothing are not kept, so that a
   file says the same however it is cut into rows. */
#include "workload/utilization_file.h"

#include "base/units.h"
#include "config/csv_reader.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#define MOST_NAMED 6 /* jobs in a note */

struct use_row {
    double from_s, value;
};

static const struct field use_columns[] = {
    {"job_id", CELL, REQUIRED, HELP("a job id")},
    {"from_s", REAL(use_row, from_s), REQUIRED, RANGE(0, TIME_MAX_S), HELP("seconds")},
    {"utilization", REAL(use_row, value), REQUIRED, RANGE(0, 1)},
    FIELDS_END};

/* A job while its rows come. */
struct progress_of_job {
    double last_s; /* of its last row; -1: there was none */
    double value;  /* that holds after it */
    uint32_t count;
};

struct reader {
    struct csv_reader csv;
    struct use_row use; /* the current one */
    struct utilization_file *file;
    struct trace *trace;
    struct intern ids;            /* of the rows of the log */
    struct intern unknown;        /* of others */
    uint32_t last;                /* row of the log that the last row of the file was of */
    struct progress_of_job *jobs; /* by row of the log */
    ARRAY_OF(struct utilization_step) steps;
    ARRAY_OF(uint32_t) owners; /* of the steps: rows of the log */
};

/* ---- Rows ---- */

static void note_unknown(struct reader *reader, struct slice id) {
    row_tally_add(&reader->file->unknown, csv_reader_line(&reader->csv));
    (void)intern(&reader->unknown, id.at, id.length, NULL);
}

/* The log's row of that job, mostly that of the row before; INTERN_NONE: none. */
static uint32_t row_of_job(struct reader *reader, struct slice id) {
    if (reader->last != INTERN_NONE && slice_is(id, intern_text(&reader->ids, reader->last)))
        return reader->last;
    uint32_t row = intern_find(&reader->ids, id.at, id.length);
    if (row == INTERN_NONE)
        note_unknown(reader, id);
    else
        reader->last = row;
    return row;
}

static void push_step(struct reader *reader, uint32_t row, double from_s, double value) {
    array_push(&reader->steps, ((struct utilization_step){from_s, value}));
    array_push(&reader->owners, row);
    reader->jobs[row].count++;
}

/* A row of a rigid job of the log. */
static void take_step(struct reader *reader, uint32_t row, double from_s, double value) {
    struct utilization_file *file = reader->file;
    struct progress_of_job *job = &reader->jobs[row];
    if (from_s <= job->last_s) {
        problems_add(reader->csv.problems, csv_reader_where(&reader->csv, "from_s"), "from_s",
                     "expected more than the %.9g of the row of this job before, got %.9g",
                     job->last_s, from_s);
        return;
    }
    job->last_s = from_s;
    if (from_s >= reader->trace->rows.at[row].duration_s) {
        row_tally_add(&file->beyond, csv_reader_line(&reader->csv));
    } else if (value == job->value) {
        row_tally_add(&file->same, csv_reader_line(&reader->csv));
    } else {
        if (from_s > 0 && job->count == 0)
            push_step(reader, row, 0, job->value);
        push_step(reader, row, from_s, value);
        job->value = value;
        file->changes++;
    }
}

static void read_use_row(void *context) {
    struct reader *r = context;
    r->file->rows++;
    if (!csv_reader_row(&r->csv, &r->use))
        return;
    uint32_t row = row_of_job(r, csv_reader_cell(&r->csv, "job_id"));
    if (row == INTERN_NONE)
        return;
    if (r->trace->rows.at[row].model)
        row_tally_add(&r->file->modelled, csv_reader_line(&r->csv));
    else
        take_step(r, row, r->use.from_s, r->use.value);
}

/* ---- All of it ---- */

static void begin_jobs(struct reader *reader, double usual) {
    const struct trace *trace = reader->trace;
    reader->jobs = mem_alloc(trace->rows.count * sizeof *reader->jobs);
    for (size_t i = 0; i < trace->rows.count; i++) {
        const struct trace_row *row = &trace->rows.at[i];
        double mean = isnan(row->utilization) ? usual : row->utilization;
        /* Numbered as the rows are: readers refuse an id that comes twice. */
        (void)intern(&reader->ids, row->id, strlen(row->id), NULL);
        assert(reader->ids.entries.count == i + 1);
        reader->jobs[i] = (struct progress_of_job){.last_s = -1, .value = mean};
    }
}

/* Where the steps of each job begin, once they stand together. */
static size_t *first_steps(const struct reader *reader) {
    size_t count = reader->trace->rows.count, total = 0;
    size_t *first = mem_alloc(count * sizeof *first);
    for (size_t i = 0; i < count; i++) {
        first[i] = total;
        total += reader->jobs[i].count;
    }
    return first;
}

/* Steps in the order of the log, those of a job as they came, tied to its rows. */
static void tie_steps(struct reader *reader) {
    struct utilization_file *file = reader->file;
    size_t *next = first_steps(reader);
    file->steps = mem_alloc(reader->steps.count * sizeof *file->steps);
    for (size_t i = 0; i < reader->steps.count; i++)
        file->steps[next[reader->owners.at[i]]++] = reader->steps.at[i];
    for (size_t i = 0; i < reader->trace->rows.count; i++) {
        uint32_t count = reader->jobs[i].count;
        if (count == 0)
            continue;
        struct utilization_steps *steps = arena_alloc(&file->arena, sizeof *steps);
        *steps = (struct utilization_steps){&file->steps[next[i] - count], count};
        reader->trace->rows.at[i].steps = steps;
    }
    free(next);
}

static void count_jobs(struct reader *reader) {
    struct utilization_file *file = reader->file;
    for (size_t i = 0; i < reader->trace->rows.count; i++) {
        file->jobs += reader->jobs[i].count > 0;
        file->jobs_without += reader->jobs[i].last_s < 0 && !reader->trace->rows.at[i].model;
    }
}

static void name_unknown(struct reader *reader) {
    struct utilization_file *file = reader->file;
    struct str names = {0};
    file->unknown_jobs = (uint32_t)reader->unknown.entries.count;
    for (uint32_t i = 0; i < file->unknown_jobs && i < MOST_NAMED; i++)
        str_addf(&names, "%s%s", i > 0 ? ", " : "", intern_text(&reader->unknown, i));
    str_add(&names, file->unknown_jobs > MOST_NAMED ? " ..." : "");
    file->unknown_names = arena_strdup(&file->arena, names.text ? names.text : "");
    str_finish(&names);
}

void utilization_file_read(struct utilization_file *file, const char *path, double usual,
                           struct trace *trace, struct problems *problems) {
    struct reader r = {.file = file, .trace = trace, .last = INTERN_NONE};
    r.csv = (struct csv_reader){.columns = use_columns, .problems = problems, READ_INTO(r.use)};
    begin_jobs(&r, usual);
    if (csv_reader_load(&r.csv, path, read_use_row, &r) == 0)
        tie_steps(&r);
    count_jobs(&r);
    name_unknown(&r);
    intern_finish(&r.ids);
    intern_finish(&r.unknown);
    free(r.jobs);
    free(r.steps.at);
    free(r.owners.at);
}

void utilization_file_finish(struct utilization_file *file) {
    free(file->steps);
    arena_finish(&file->arena);
    *file = (struct utilization_file){0};
}
