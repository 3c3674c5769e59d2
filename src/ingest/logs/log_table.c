/* CSV job logs: see log_table.h. */
#include "ingest/logs/log_table.h"

#include "base/datetime.h"
#include "base/hash.h"
#include "base/numfmt.h"
#include "base/units.h"
#include "ingest/foreign.h"

#include <math.h>
#include <stdlib.h>

/* --- local_time --- */

#define MINUTE_LENGTH 16 /* of "2022-01-01 06:30": seconds ":15" or a zone follow it */

static bool has_zone(struct slice text) {
    size_t seconds = text.length > MINUTE_LENGTH && text.at[MINUTE_LENGTH] == ':' ? 3 : 0;
    for (size_t i = MINUTE_LENGTH + seconds; i < text.length; i++)
        if (text.at[i] == 'Z' || text.at[i] == 'z' || text.at[i] == '+' || text.at[i] == '-')
            return true;
    return false;
}

bool local_time_read(struct slice text, struct time_zone *zone, struct clock_changes *changes,
                     int64_t *unix_ns) {
    int64_t read_ns, utc_s;
    if (!datetime_parse(text.at, text.length, &read_ns) || read_ns < 0 ||
        units_s(read_ns) > TIME_MAX_S)
        return false;
    *unix_ns = read_ns;
    if (has_zone(text))
        return true;
    enum local_time kind = time_zone_utc(zone, read_ns / NS_PER_S, &utc_s);
    *unix_ns = utc_s * NS_PER_S + read_ns % NS_PER_S;
    changes->twice = changes->twice || kind == LOCAL_TIME_TWICE;
    changes->never = changes->never || kind == LOCAL_TIME_NEVER;
    return true;
}

void local_time_note(const struct clock_changes *changes, struct trace *trace, uint32_t line) {
    if (changes->twice)
        trace_note(trace, false, "a local time that the clock showed twice: taken as the first",
                   line);
    if (changes->never)
        trace_note(trace, false,
                   "a local time that the clock never showed: read as before the change", line);
}

/* --- log_table --- */

#define FEW_ROWS 16 /* that are compared one by one */

/* The name of a column for messages: the first of its names. */
static struct slice first_name(const struct table *table, int column) {
    const char *names = table->format->columns[column];
    return (struct slice){names, strcspn(names, "|")};
}

void table_bad(struct table *table, int column, const char *before, const char *after) {
    struct slice field = table_field(table, column);
    const char *name = table->columns[column] < 0
                           ? table->format->columns[column]
                           : csv_column_name(table->csv, (size_t)table->columns[column]);
    problems_add(table->problems, csv_where(table->csv, table->columns[column]), name,
                 "%s \"%.*s\"%s", before, (int)(field.length < 80 ? field.length : 80), field.at,
                 after);
}

/* --- fields --- */

struct slice table_field(const struct table *table, int column) {
    return csv_field(table->csv, table->columns[column]);
}

bool table_is_absent(const struct table *table, int column) {
    static const char *const words[] = {"none", "null", "na", "n/a"};
    struct slice field = table_field(table, column);
    if (field.length == 0 || (field.at[0] | 0x20) != 'n')
        return field.length == 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (slice_is_word(field, words[i]))
            return true;
    return false;
}

const char *table_text(struct table *table, int column) {
    struct slice field = table_field(table, column);
    bool is_nan =
        slice_is_word(field, "nan"); /* of a text the way of pandas to say that there is none */
    return is_nan || table_is_absent(table, column) ? NULL : trace_text(table->trace, field);
}

double table_real(struct table *table, int column, double least, double most,
                  const char *expected) {
    struct slice field = table_field(table, column);
    double value = 0;
    if (numfmt_parse_real(field.at, field.length, &value) && value >= least && value <= most)
        return value;
    table_bad(table, column, expected, "");
    return 0;
}

double table_seconds(struct table *table, int column, double least) {
    return table_real(table, column, least, TIME_MAX_S,
                      least < 0 ? "expected seconds -4e9..4e9, got"
                                : "expected seconds 0..4e9, got");
}

uint32_t table_whole(struct table *table, int column, int64_t least) {
    struct slice field = table_field(table, column);
    int64_t value = 0;
    if (slice_parse_whole(field, &value) && value >= least && value <= FOREIGN_MAX_GPUS)
        return (uint32_t)value;
    table_bad(table, column,
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

int64_t table_time(struct table *table, int column) {
    int64_t unix_ns = 0;
    if (!local_time_read(table_field(table, column), table->zone, &table->clock, &unix_ns))
        table_bad(table, column, "expected YYYY-MM-DD HH:MM:SS of 1970..2096, got", "");
    return unix_ns;
}

void table_note(struct table *table, const char *reason, const struct trace_row *row) {
    trace_note(table->trace, false, reason, row->line);
}

/* --- one row --- */

static bool has_ids(const struct table *table) {
    return table->format->id >= 0 && table->columns[table->format->id] >= 0;
}

/* The row's id in the reader's table; INTERN_NONE where ids are numbers of rows. */
static uint32_t row_id(struct table *table, bool *is_new) {
    *is_new = true;
    if (!has_ids(table))
        return INTERN_NONE;
    struct slice id = table_field(table, table->format->id);
    return intern_ascending(&table->ids, id.at, id.length, is_new);
}

static const char *id_text(struct table *table, uint32_t id) {
    char number[NUMFMT_BYTES];
    if (id != INTERN_NONE)
        return intern_text(&table->ids, id);
    size_t length = numfmt_int(number, (int64_t)table->trace->rows_read);
    return arena_strndup(&table->ids.arena, number, length);
}

static void check_id(struct table *table, bool is_new) {
    if (!has_ids(table))
        return;
    if (table_field(table, table->format->id).length == 0)
        table_bad(table, table->format->id, "expected a job id, got", "");
    else if (!is_new && !table->format->attempts)
        table_bad(table, table->format->id, "job", " is listed twice");
}

/* The row that was kept of this job before, if there is one, is left out: it has no GPUs then. */
static void replace_attempt(struct table *table, uint32_t id) {
    while (table->kept.count <= id)
        array_push(&table->kept, 0);
    if (table->kept.at[id] > 0) {
        struct trace_row *earlier = &table->trace->rows.at[table->kept.at[id] - 1];
        earlier->gpus = 0;
        trace_note(table->trace, true, "an attempt before another one of the same job",
                   earlier->line);
    }
    table->kept.at[id] = table->trace->rows.count + 1;
}

static void drop_replaced(struct trace *trace) {
    size_t count = 0;
    for (size_t i = 0; i < trace->rows.count; i++)
        if (trace->rows.at[i].gpus > 0)
            trace->rows.at[count++] = trace->rows.at[i];
    trace->rows.count = count;
    trace->ordered = 0;
}

/* Equal rows have one instant, and rows of one instant are few: a log in the order of time needs no
   search among all, nor are their texts kept. A hash of 64 bits tells rows of one instant apart. */
static bool is_repeat(struct table *table, int64_t submit_ns, uint64_t hash) {
    const struct trace_row *rows = table->trace->rows.at;
    size_t count = table->hashes.count;
    if (count == 0 || submit_ns > table->instant_ns) {
        table->instant_ns = submit_ns;
        table->instant_row = count;
        return false;
    }
    if (submit_ns == table->instant_ns && count - table->instant_row <= FEW_ROWS) {
        for (size_t i = table->instant_row; i < count; i++)
            if (table->hashes.at[i] == hash && rows[i].submit_ns == submit_ns)
                return true;
        return false;
    }
    bool is_new;
    for (size_t i = table->searched_rows; i < count; i++)
        (void)intern(&table->rows,
                     (const uint64_t[2]){(uint64_t)rows[i].submit_ns, table->hashes.at[i]},
                     2 * sizeof hash, NULL);
    (void)intern(&table->rows, (const uint64_t[2]){(uint64_t)submit_ns, hash}, 2 * sizeof hash,
                 &is_new);
    table->searched_rows = count + 1; /* this one will be kept */
    return !is_new;
}

static void note_repeat(struct table *table, const struct trace_row *row) {
    struct slice text = csv_row(table->csv, &table->row);
    uint64_t hash = hash_key(text.at, text.length);
    if (is_repeat(table, row->submit_ns, hash))
        table_note(table, "the same as an earlier row (kept as a job of its own)", row);
    array_push(&table->hashes, hash);
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
    if (t->problems->count > before)
        return;
    if (reason) {
        trace_note(t->trace, true, reason, row.line);
        return;
    }
    local_time_note(&t->clock, t->trace, row.line);
    if (t->format->note_repeats)
        note_repeat(t, &row);
    if (t->format->attempts && has_ids(t))
        replace_attempt(t, id);
    row.id = id_text(t, id);
    row.labels = trace_labels_read(&t->labels, t->trace, t->csv);
    trace_add(t->trace, &row);
}

/* --- the file --- */

/* The column of the file that bears one of the names "a|b", or -1. */
static int find_column(const struct table *table, const char *names) {
    for (int i = 0; i < (int)csv_column_count(table->csv); i++) {
        const char *name = csv_column_name(table->csv, (size_t)i);
        for (const char *at = names; *at;
             at += at[strcspn(at, "|")] ? strcspn(at, "|") + 1 : strlen(at))
            if (strlen(name) == strcspn(at, "|") && strncmp(name, at, strlen(name)) == 0)
                return i;
    }
    return -1;
}

static bool is_label(const struct table *table, int column) {
    for (int c = 0; c < table->format->count; c++)
        if (table->columns[c] == column)
            return table->format->labels_too >> c & 1;
    return true;
}

/* Tells the columns whose values change no job. */
static void name_unused_columns(struct table *table) {
    struct str names = {0};
    for (int i = 0; i < (int)csv_column_count(table->csv); i++) {
        bool used = false;
        for (int c = 0; c < table->format->count; c++)
            used |= table->columns[c] == i && !(table->format->only_checked >> c & 1);
        if (!used)
            str_addf(&names, "%s%s%s", names.length > 0 ? ", " : "columns ",
                     csv_column_name(table->csv, (size_t)i), is_label(table, i) ? " (label)" : "");
    }
    if (names.length > 0)
        table->trace->unused = arena_strdup(&table->trace->arena, names.text);
    str_finish(&names);
}

static int find_log_columns(struct table *table) {
    size_t before = table->problems->count;
    for (int c = 0; c < table->format->count; c++)
        table->columns[c] = c < table->format->models_from || table->options->models
                                ? find_column(table, table->format->columns[c])
                                : -1;
    for (int c = 0; c < table->format->required; c++) {
        struct slice name = first_name(table, c);
        if (table->columns[c] < 0)
            problems_add(table->problems, csv_where(table->csv, -1), NULL,
                         "column \"%.*s\" is missing", (int)name.length, name.at);
    }
    for (int i = 0; i < (int)csv_column_count(table->csv); i++)
        if (is_label(table, i)) {
            array_push(&table->labels.at, ((struct trace_label){.column = i}));
            array_push(&table->trace->label_names,
                       arena_strdup(&table->trace->arena, csv_column_name(table->csv, (size_t)i)));
        }
    name_unused_columns(table);
    return table->problems->count > before ? ERROR_INPUT : 0;
}

static int open_table(struct table *table, const char *path, struct error *reterr) {
    char separator = table->format->separator ? table->format->separator : ',';
    int r = csv_open(path, separator, &table->csv, reterr);
    table->trace->time_zone =
        table->options->time_zone ? table->options->time_zone : table->format->time_zone;
    if (r == 0 && table->format->time_zone)
        r = time_zone_open(table->trace->time_zone, &table->zone, reterr);
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
                      .state = state};
    struct error error = {0};
    if (open_table(&t, path, &error) < 0)
        problems_say(problems, "%s", error.text);
    else if (find_log_columns(&t) == 0) {
        csv_each_row(t.csv, problems, read_table_row, &t);
        trace_labels_check(&t.labels, trace, problems);
    }
    if (format->attempts)
        drop_replaced(trace);
    trace_sort(trace, true);
    arena_adopt(&trace->arena, &t.ids.arena);
    intern_finish(&t.ids);
    intern_finish(&t.rows);
    str_finish(&t.row);
    free(t.hashes.at);
    free(t.kept.at);
    free(t.labels.at.at);
    time_zone_close(t.zone);
    csv_close(t.csv);
    return problems->count > before ? ERROR_INPUT : 0;
}
