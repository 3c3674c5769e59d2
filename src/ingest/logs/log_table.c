/* CSV job logs: see log_table.h. */
#include "ingest/logs/log_table.h"

#include "base/numfmt.h"
#include "base/units.h"
#include "ingest/foreign.h"
#include "workload/trace_file.h"

#include <math.h>
#include <stdlib.h>

static bool is_table_full(const struct table *t) {
    return t->problems->count >= t->most_problems;
}

/* The name of a column for messages: the first of its names. */
static struct slice first_name(const struct table *t, int column) {
    const char *names = t->format->columns[column];
    return (struct slice){names, strcspn(names, "|")};
}

void table_bad(struct table *t, int column, const char *before, const char *after) {
    struct slice field = table_field(t, column);
    const char *name = t->columns[column] < 0 ? t->format->columns[column]
                                              : csv_column_name(t->csv, (size_t)t->columns[column]);
    if (!is_table_full(t))
        problems_add(t->problems, csv_where(t->csv, t->columns[column]), name, "%s \"%.*s\"%s",
                     before, (int)(field.length < 80 ? field.length : 80), field.at, after);
}

/* --- fields --- */

struct slice table_field(const struct table *t, int column) {
    return csv_field(t->csv, t->columns[column]);
}

bool table_is_absent(const struct table *t, int column) {
    static const char *const words[] = {"none", "null", "na", "n/a"};
    struct slice field = table_field(t, column);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (slice_is_word(field, words[i]))
            return true;
    return field.length == 0;
}

const char *table_text(struct table *t, int column) {
    struct slice field = table_field(t, column);
    bool is_nan =
        slice_is_word(field, "nan"); /* of a text the way of pandas to say that there is none */
    return is_nan || table_is_absent(t, column) ? NULL : trace_text(t->trace, field);
}

double table_real(struct table *t, int column, double least, double most, const char *expected) {
    struct slice field = table_field(t, column);
    double value = 0;
    if (numfmt_parse_real(field.at, field.length, &value) && value >= least && value <= most)
        return value;
    table_bad(t, column, expected, "");
    return 0;
}

double table_seconds(struct table *t, int column, double least) {
    return table_real(t, column, least, TIME_MAX_S,
                      least < 0 ? "expected seconds -4e9..4e9, got"
                                : "expected seconds 0..4e9, got");
}

uint32_t table_whole(struct table *t, int column, int64_t least) {
    struct slice field = table_field(t, column);
    int64_t value = 0;
    if (ingest_parse_whole(field, &value) && value >= least && value <= INGEST_MAX_GPUS)
        return (uint32_t)value;
    table_bad(t, column,
              least > 0 ? "expected integer 1..2^30, got" : "expected integer 0..2^30, got", "");
    return 0;
}

const char *table_reason(const struct trace_row *row) {
    if (row->gpus == 0)
        return "no GPUs";
    if (isnan(row->duration_s))
        return "run time unknown";
    return row->duration_s > 0 ? NULL : "duration not above 0";
}

int64_t table_time(struct table *t, int column) {
    int64_t unix_ns = 0;
    if (!local_time_read(table_field(t, column), t->zone, &t->clock, &unix_ns))
        table_bad(t, column, "expected YYYY-MM-DD HH:MM:SS of 1970..2096, got", "");
    return unix_ns;
}

void table_note(struct table *t, const char *reason, const struct trace_row *row) {
    trace_note(t->trace, false, reason, row->line);
}

/* --- one row --- */

static bool has_ids(const struct table *t) {
    return t->format->id >= 0 && t->columns[t->format->id] >= 0;
}

/* The row's id in the reader's table. */
static uint32_t row_id(struct table *t, bool *is_new) {
    char number[NUMFMT_BYTES];
    *is_new = true;
    if (!has_ids(t))
        return intern(&t->ids, number, numfmt_int(number, (int64_t)t->trace->rows_read), NULL);
    struct slice id = table_field(t, t->format->id);
    return intern(&t->ids, id.at, id.length, is_new);
}

static void check_id(struct table *t, bool is_new) {
    if (!has_ids(t))
        return;
    if (table_field(t, t->format->id).length == 0)
        table_bad(t, t->format->id, "expected a job id, got", "");
    else if (!is_new)
        table_bad(t, t->format->id, "job", " is listed twice");
}

static void note_repeat(struct table *t, const struct trace_row *row) {
    bool is_new;
    t->row.length = 0;
    for (int i = 0; i < (int)csv_column_count(t->csv); i++) {
        struct slice field = csv_field(t->csv, i);
        str_add_bytes(&t->row, field.at, field.length);
        str_add_char(&t->row, '\n'); /* no field holds one */
    }
    (void)intern(&t->rows, t->row.text, t->row.length, &is_new);
    if (!is_new)
        table_note(t, "the same as an earlier row (kept as a job of its own)", row);
}

static void read_table_row(void *context) {
    struct table *t = context;
    size_t before = t->problems->count;
    bool is_new;
    struct trace_row row = trace_row_absent(csv_where(t->csv, -1).line);
    t->trace->rows_read++;
    t->clock = (struct clock_changes){0};
    uint32_t id = row_id(t, &is_new);
    const char *reason = t->format->read_row(t, &row);
    check_id(t, is_new);
    if (t->problems->count > before || is_table_full(t))
        return;
    if (reason) {
        trace_note(t->trace, true, reason, row.line);
        return;
    }
    local_time_note(&t->clock, t->trace, row.line);
    if (t->format->note_repeats)
        note_repeat(t, &row);
    row.id = intern_text(&t->ids, id);
    row.labels = trace_labels_read(&t->labels, t->trace, t->csv);
    array_push(&t->trace->rows, row);
}

/* --- the file --- */

/* The column of the file that bears one of the names "a|b", or -1. */
static int find_column(const struct table *t, const char *names) {
    for (int i = 0; i < (int)csv_column_count(t->csv); i++) {
        const char *name = csv_column_name(t->csv, (size_t)i);
        for (const char *at = names; *at;
             at += at[strcspn(at, "|")] ? strcspn(at, "|") + 1 : strlen(at))
            if (strlen(name) == strcspn(at, "|") && strncmp(name, at, strlen(name)) == 0)
                return i;
    }
    return -1;
}

static bool is_label(const struct table *t, int column) {
    for (int c = 0; c < t->format->count; c++)
        if (t->columns[c] == column)
            return t->format->labels_too >> c & 1;
    return true;
}

static int find_log_columns(struct table *t) {
    size_t before = t->problems->count;
    for (int c = 0; c < t->format->count; c++)
        t->columns[c] = c < t->format->models_from || t->options->models
                            ? find_column(t, t->format->columns[c])
                            : -1;
    for (int c = 0; c < t->format->required; c++) {
        struct slice name = first_name(t, c);
        if (t->columns[c] < 0)
            problems_add(t->problems, csv_where(t->csv, -1), NULL, "column \"%.*s\" is missing",
                         (int)name.length, name.at);
    }
    for (int i = 0; i < (int)csv_column_count(t->csv); i++)
        if (is_label(t, i)) {
            array_push(&t->labels.at, ((struct trace_label){.column = i}));
            array_push(&t->trace->label_names,
                       arena_strdup(&t->trace->arena, csv_column_name(t->csv, (size_t)i)));
        }
    return t->problems->count > before ? ERROR_INPUT : 0;
}

static int open_table(struct table *t, const char *path, struct error *reterr) {
    int r = csv_open(path, ',', &t->csv, reterr);
    t->trace->time_zone = t->options->time_zone ? t->options->time_zone : t->format->time_zone;
    if (r == 0 && t->format->time_zone)
        r = time_zone_open(t->trace->time_zone, &t->zone, reterr);
    return r;
}

int table_read(const char *path, const struct table_format *format,
               const struct trace_options *options, struct trace *trace, struct problems *problems,
               void *state) {
    static const struct trace_options defaults = {0};
    size_t before = problems->count;
    struct table t = {.format = format,
                      .options = options ? options : &defaults,
                      .trace = trace,
                      .problems = problems,
                      .most_problems = before + INGEST_MAX_PROBLEMS,
                      .state = state};
    struct error error = {0};
    if (open_table(&t, path, &error) < 0)
        problems_add(problems, (struct location){0}, NULL, "%s", error.text);
    else if (find_log_columns(&t) == 0) {
        csv_each_row(t.csv, problems, t.most_problems, read_table_row, &t);
        trace_labels_check(&t.labels, trace, problems);
    }
    trace_sort(trace, true);
    arena_adopt(&trace->arena, &t.ids.arena);
    intern_finish(&t.ids);
    intern_finish(&t.rows);
    str_finish(&t.row);
    free(t.labels.at.at);
    time_zone_close(t.zone);
    csv_close(t.csv);
    return problems->count > before ? ERROR_INPUT : 0;
}
