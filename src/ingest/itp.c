/* Microsoft ITP job logs (github.com/microsoft/elasticflow-traces). Model, batch size, iterations and deadline of
   the annotated files were drawn at random by the authors of ElasticFlow: they count only when asked for. */
#include "ingest/itp.h"

#include "base/numfmt.h"
#include "base/units.h"
#include "ingest/readers.h"
#include "io/csv.h"
#include "workload/trace_file.h"

#include <math.h>
#include <stdlib.h>

enum column { ID, SUBMIT, DURATION, GPUS, REQUIRED_COUNT, MODEL = REQUIRED_COUNT, BATCH, DEADLINE, COLUMN_COUNT };

static const char *const column_names[COLUMN_COUNT] = {"job_id",     "submission_time", "duration", "num_gpu",
                                                       "model_name", "batch_size",      "deadline"};

struct reader {
    struct csv *csv;
    struct trace *trace;
    struct problems *problems;
    size_t most_problems;      /* of the list, not of this file */
    int columns[COLUMN_COUNT]; /* -1: not there or not to be used */
    ARRAY_OF(int) labels;      /* columns */
    struct intern ids;
};

static bool full(const struct reader *r) {
    return r->problems->count >= r->most_problems;
}

static void bad(struct reader *r, enum column column, const char *before, const char *after) {
    struct slice field = csv_field(r->csv, r->columns[column]);
    if (!full(r))
        problems_add(r->problems, csv_where(r->csv, r->columns[column]), column_names[column], "%s \"%.*s\"%s",
                     before, (int)(field.length < 80 ? field.length : 80), field.at, after);
}

/* --- one row --- */

static double seconds(struct reader *r, enum column column, double least) {
    struct slice field = csv_field(r->csv, r->columns[column]);
    double value = 0;
    if (!numfmt_parse_real(field.at, field.length, &value) || value < least || value > TIME_MAX_S) {
        bad(r, column, least < 0 ? "expected seconds -4e9..4e9, got" : "expected seconds 0..4e9, got", "");
        return 0;
    }
    return value;
}

static uint32_t whole(struct reader *r, enum column column, int64_t least) {
    struct slice field = csv_field(r->csv, r->columns[column]);
    int64_t value = 0;
    if (!ingest_parse_whole(field, &value) || value < least || value > INGEST_MAX_GPUS) {
        bad(r, column, least > 0 ? "expected integer 1..2^30, got" : "expected integer 0..2^30, got", "");
        return 0;
    }
    return (uint32_t)value;
}

static bool is_empty(const struct reader *r, enum column column) {
    return csv_field(r->csv, r->columns[column]).length == 0;
}

static const char *reason_to_drop(const struct trace_row *row) {
    if (row->gpus == 0)
        return "no GPUs";
    if (row->duration_s <= 0)
        return "duration not above 0";
    return NULL;
}

static uint32_t batch_per_gpu(struct reader *r, const struct trace_row *row, uint32_t batch_size) {
    if (batch_size % row->gpus == 0)
        return batch_size / row->gpus;
    trace_note(r->trace, false, "batch_size not divisible by num_gpu: batch left empty", row->line);
    return 0;
}

static void read_row(struct reader *r) {
    size_t before = r->problems->count;
    struct slice id = csv_field(r->csv, r->columns[ID]);
    bool is_new = true;
    uint32_t number = intern(&r->ids, id.at, id.length, &is_new);
    double submit_s = seconds(r, SUBMIT, 0);
    struct trace_row row = {.submit_ns = units_ns(submit_s),
                            .duration_s = seconds(r, DURATION, -TIME_MAX_S),
                            .gpus = whole(r, GPUS, 0),
                            .deadline_s = is_empty(r, DEADLINE) ? NAN : seconds(r, DEADLINE, 0),
                            .work_samples = NAN,
                            .requested_s = NAN,
                            .utilization = NAN,
                            .line = csv_where(r->csv, -1).line};
    uint32_t batch_size = is_empty(r, BATCH) ? 0 : whole(r, BATCH, 1);
    r->trace->rows_read++;
    if (id.length == 0)
        bad(r, ID, "expected a job id, got", "");
    else if (!is_new)
        bad(r, ID, "job", " is listed twice");
    if (r->problems->count > before)
        return;
    const char *reason = reason_to_drop(&row);
    if (reason) {
        trace_note(r->trace, true, reason, row.line);
        return;
    }
    row.id = intern_text(&r->ids, number);
    row.model = trace_text(r->trace, csv_field(r->csv, r->columns[MODEL]));
    row.batch = batch_per_gpu(r, &row, batch_size);
    row.labels = trace_file_labels(r->trace, r->csv, r->labels.at, r->labels.count);
    array_push(&r->trace->rows, row);
}

/* --- the file --- */

static bool is_used(const struct reader *r, int column) {
    for (int c = 0; c < COLUMN_COUNT; c++)
        if (r->columns[c] == column)
            return true;
    return false;
}

static int find_columns(struct reader *r, bool models) {
    size_t before = r->problems->count;
    for (int c = 0; c < COLUMN_COUNT; c++)
        r->columns[c] = c < REQUIRED_COUNT || models ? csv_column(r->csv, column_names[c]) : -1;
    for (int c = 0; c < REQUIRED_COUNT; c++)
        if (r->columns[c] < 0)
            problems_add(r->problems, csv_where(r->csv, -1), NULL, "column \"%s\" is missing", column_names[c]);
    for (int i = 0; i < (int)csv_column_count(r->csv); i++) {
        if (is_used(r, i))
            continue;
        array_push(&r->labels, i);
        array_push(&r->trace->label_names, arena_strdup(&r->trace->arena, csv_column_name(r->csv, (size_t)i)));
    }
    return r->problems->count > before ? ERROR_INPUT : 0;
}

static void read_rows(struct reader *r) {
    struct error error = {0};
    for (int got; (got = csv_next(r->csv, &error)) != 0 && !full(r);) {
        if (got > 0) {
            read_row(r);
            continue;
        }
        problems_add(r->problems, (struct location){0}, NULL, "%s", error.text);
        if (got != ERROR_INPUT)
            break;
    }
}

static int itp_read(const char *path, const struct trace_options *options, struct trace *trace,
                    struct problems *problems) {
    size_t before = problems->count;
    struct reader r = {.trace = trace, .problems = problems, .most_problems = before + INGEST_MAX_PROBLEMS};
    struct error error = {0};
    if (csv_open(path, ',', &r.csv, &error) < 0) {
        problems_add(problems, (struct location){0}, NULL, "%s", error.text);
        return ERROR_INPUT;
    }
    if (find_columns(&r, options && options->models) == 0)
        read_rows(&r);
    trace_sort(trace, true);
    arena_adopt(&trace->arena, &r.ids.arena);
    intern_finish(&r.ids);
    free(r.labels.at);
    csv_close(r.csv);
    return problems->count > before ? ERROR_INPUT : 0;
}

const struct trace_reader itp_reader = {"itp", "Microsoft ITP cluster log (CSV, raw or annotated by ElasticFlow)",
                                        itp_read};
