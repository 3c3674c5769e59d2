/* Series of values over time: see series.h. */
#include "config/series.h"

#include "base/array.h"
#include "base/datetime.h"
#include "base/units.h"
#include "io/csv.h"

#include <stdlib.h>
#include <string.h>

const struct field series_fields[] = {SERIES_ROWS(series, , REQUIRED), FIELDS_END};

static bool has_period(const struct series *series) {
    return series->period_s > 0;
}

int series_bind_period(struct series *series, const struct binding *binding) {
    if (!has_period(series))
        return 0;
    if (series->repeat_node && !series->repeat)
        return schema_wrong(binding, series->repeat_node,
                            arena_printf(binding->arena, "%s.repeat", series->kind->path),
                            "true, or no such key, because period repeats the series");
    series->repeat = true;
    return 0;
}

int series_bind(struct series *series, const struct series_kind *kind, const struct yaml_node *node,
                const struct binding *binding) {
    *series = (struct series){.constant = kind->value->default_value};
    if (!node)
        return 0;
    if (node->kind == YAML_NODE_SCALAR)
        return schema_bind_value(binding, kind->value, node, kind->path, &series->constant);
    if (node->kind != YAML_NODE_MAPPING)
        return schema_wrong(binding, node, kind->path, "a number or {file: NAME}");
    int r = schema_bind(binding, series_fields, node, kind->path, series);
    series->kind = kind;
    if (!series->column)
        series->column = kind->column;
    return r < 0 ? r : series_bind_period(series, binding);
}

/* --- reading --- */

struct reader {
    struct series *series;
    struct csv *csv;
    const struct binding *binding;
    int64_t start_ns;
    int time, value;   /* columns */
    struct slice unit; /* in the name of the column of the values; empty: none */
    bool clock_known;  /* whether the file has seconds or date-times: its first good time says which
                        */
    ARRAY_OF(struct series_step) steps;
    int64_t last_ns, step_ns; /* time of the last good row, and from the one before it */
    struct location uneven;   /* of the first row at another step than those before; line 0: none */
    int64_t uneven_ns, even_ns; /* that step, and those before */
    double last;                /* its value */
    struct str text;            /* of a cell, with a NUL */
};

/* What stands in brackets at the end of a name; empty: nothing does. */
static struct slice bracketed_unit(const char *name) {
    size_t length = strlen(name), begin = length;
    if (length < 2 || (name[length - 1] != ']' && name[length - 1] != ')'))
        return (struct slice){0};
    while (begin > 0 && name[begin - 1] != '[' && name[begin - 1] != '(')
        begin--;
    return begin > 0 ? (struct slice){name + begin, length - 1 - begin} : (struct slice){0};
}

/* Whether the column is called that, and a unit in brackets may follow. */
static bool is_column_named(const char *column, const char *name, struct slice unit) {
    size_t length = strlen(name);
    if (unit.length == 0 || strncmp(column, name, length) != 0)
        return false;
    return column + length + strspn(column + length, " ") + 1 == unit.at;
}

/* The column of the values, and the unit in its name: "power_w [kW]", or all of it as in "Price
 * (EUR/kWh)". */
static void find_value(struct reader *reader) {
    double one;
    reader->value = csv_column(reader->csv, reader->series->column);
    if (reader->value >= 0) {
        struct str text = {0};
        reader->unit = bracketed_unit(reader->series->column);
        str_addf(&text, "1 %.*s", (int)reader->unit.length,
                 reader->unit.length > 0 ? reader->unit.at : "");
        if (!units_parse(reader->series->kind->value->dimension, text.text, text.length, &one))
            reader->unit = (struct slice){0}; /* a remark of another sort */
        str_finish(&text);
    }
    for (size_t i = 0; reader->value < 0 && i < csv_column_count(reader->csv); i++) {
        struct slice unit = bracketed_unit(csv_column_name(reader->csv, i));
        if (!is_column_named(csv_column_name(reader->csv, i), reader->series->column, unit))
            continue;
        reader->value = (int)i;
        reader->unit = unit;
    }
}

static int find_series_columns(struct reader *reader) {
    struct series *s = reader->series;
    struct problems *problems = reader->binding->problems;
    if (!s->time_column)
        s->time_column =
            csv_column(reader->csv, "time_s") < 0 && csv_column(reader->csv, "timestamp") >= 0
                ? "timestamp"
                : "time_s";
    reader->time = csv_column(reader->csv, s->time_column);
    if (reader->time < 0)
        (void)csv_missing_column(reader->csv, s->time_column,
                                 " (time_column: NAME says which column holds the times)",
                                 problems);
    find_value(reader);
    if (reader->value < 0)
        (void)csv_missing_column(reader->csv, s->column,
                                 " (column: NAME says which column holds the values)", problems);
    return reader->time < 0 || reader->value < 0 ? ERROR_INPUT : 0;
}

static bool wrong_time(const struct reader *reader, const char *expected) {
    csv_refuse(reader->csv, reader->time, reader->series->time_column, expected,
               reader->binding->problems);
    return false;
}

/* False after adding a problem. */
static bool read_time(struct reader *reader, int64_t *time_ns) {
    struct slice cell = csv_field(reader->csv, reader->time);
    double seconds;
    int64_t unix_ns;
    bool number = units_parse(DIMENSION_TIME, cell.at, cell.length, &seconds);
    bool date = datetime_parse(cell.at, cell.length, &unix_ns);
    if (!reader->clock_known && !number && !date)
        return wrong_time(reader, "seconds, or a date-time such as 2022-01-01T00:00Z");
    if (!reader->clock_known)
        reader->series->has_dates = date;
    reader->clock_known = true;
    if (reader->series->has_dates) {
        if (!date)
            return wrong_time(reader, "date-time such as 2022-01-01T00:00Z");
        if (reader->start_ns == TIME_NONE_NS) {
            *time_ns = unix_ns; /* reported once, for the whole file */
            return true;
        }
        *time_ns = unix_ns - reader->start_ns;
        return llabs(*time_ns) <= (int64_t)TIME_MAX_S * NS_PER_S ||
               wrong_time(reader, "date-time within 4e9 s of start_time");
    }
    if (!number || fabs(seconds) > TIME_MAX_S)
        return wrong_time(reader, "seconds -4e9..4e9");
    *time_ns = units_ns(seconds);
    return true;
}

/* An empty cell is a gap. False after adding a problem. */
static bool read_series_value(struct reader *reader, double *value) {
    struct series *s = reader->series;
    struct slice cell = csv_field(reader->csv, reader->value);
    struct location where = csv_where(reader->csv, reader->value);
    if (cell.length == 0 && s->kind->is_limit) {
        *value = INFINITY;
        return true;
    }
    if (cell.length == 0 && isnan(reader->last)) {
        problems_add(reader->binding->problems, where, s->column,
                     "expected a number in the first row, got an empty cell");
        return false;
    }
    if (cell.length == 0) {
        *value = reader->last;
        if (s->gaps++ == 0)
            s->first_gap_line = where.line;
        return true;
    }
    reader->text.length = 0;
    str_add_bytes(&reader->text, cell.at, cell.length);
    if (reader->unit.length > 0 &&
        strchr("0123456789.", cell.at[cell.length - 1])) { /* it names no unit of its own */
        str_add_char(&reader->text, ' ');
        str_add_bytes(&reader->text, reader->unit.at, reader->unit.length);
    }
    const struct yaml_node node = {.kind = YAML_NODE_SCALAR,
                                   .where = where,
                                   .text = reader->text.text,
                                   .length = reader->text.length};
    return schema_bind_value(reader->binding, s->kind->value, &node, s->column, value) == 0;
}

/* Rows a period after the first would hold beside those of the next round: the first such row is a
   problem. */
static void note_step(struct reader *reader, int64_t time_ns) {
    struct series *s = reader->series;
    int64_t step_ns = time_ns - reader->last_ns;
    int64_t period_ns = has_period(s) ? units_ns(s->period_s) : INT64_MAX;
    if (reader->last_ns - s->first_ns < period_ns && time_ns - s->first_ns >= period_ns)
        wrong_time(reader, arena_printf(reader->binding->arena,
                                        "a time less than the period of %.9g s after the first row",
                                        s->period_s));
    if (reader->uneven.line == 0 && s->longest_ns > 0 && step_ns != s->longest_ns) {
        reader->uneven = csv_where(reader->csv, reader->time);
        reader->even_ns = s->longest_ns;
        reader->uneven_ns = step_ns;
    }
    reader->step_ns = step_ns;
    s->shortest_ns = s->shortest_ns == 0 || step_ns < s->shortest_ns ? step_ns : s->shortest_ns;
    s->longest_ns = step_ns > s->longest_ns ? step_ns : s->longest_ns;
}

static void read_series_row(void *context) {
    struct reader *r = context;
    struct series *s = r->series;
    int64_t time_ns = 0;
    double value = NAN;
    bool first = s->rows++ == 0;
    bool timed = read_time(r, &time_ns);
    bool valued = read_series_value(r, &value);
    if (timed && !first && r->last_ns != INT64_MIN && time_ns <= r->last_ns)
        timed = wrong_time(r, "a time after that of the row before");
    if (timed) {
        if (r->last_ns == INT64_MIN)
            s->first_ns = time_ns;
        else
            note_step(r, time_ns);
        r->last_ns = time_ns;
    }
    if (!valued)
        r->last = isnan(r->last) ? 0 : r->last; /* a bad first cell is reported once, and not again
                                                   as gaps without a value before */
    if (!timed || !valued)
        return;
    if (r->steps.count == 0 || value != r->last)
        array_push(&r->steps, ((struct series_step){time_ns, value}));
    r->last = value;
}

/* What a period would be, for those who have not given one. */
static const char *advised_period(const struct reader *r) {
    double period_s = units_s(r->last_ns - r->series->first_ns) + units_s(r->step_ns);
    return r->step_ns > 0
               ? arena_printf(
                     r->binding->arena,
                     "; with period: %.15gs the last row would hold as long as the one before it",
                     period_s)
               : "";
}

/* Whether there are as many rows as it takes: the last of two holds as long as the first. */
static bool check_row_count(const struct reader *reader) {
    static const char *const least[] = {"one row", "two rows",
                                        "three rows at equal steps to repeat without a period"};
    const struct series *s = reader->series;
    size_t more = has_period(s) ? 0 : s->repeat ? 2 : s->kind->is_limit ? 0 : 1;
    if (s->rows > more)
        return true;
    problems_add(reader->binding->problems, (struct location){s->file, 0, 0}, NULL,
                 "expected at least %s, got %llu%s", least[more], (unsigned long long)s->rows,
                 advised_period(reader));
    return false;
}

/* Before its first row a series with a period is what it is a period later: the first round is that
   which begins at t = 0 or last before. */
static void begin_by_zero(struct reader *reader, int64_t period_ns) {
    struct series *s = reader->series;
    int64_t back_ns = s->first_ns > 0 ? (s->first_ns + period_ns - 1) / period_ns * period_ns : 0;
    for (size_t i = 0; i < reader->steps.count; i++)
        reader->steps.at[i].time_ns -= back_ns;
    s->first_ns -= back_ns;
    s->end_ns = s->first_ns + period_ns;
}

/* Problems of the file as a whole. */
static void end_rows(struct reader *reader) {
    struct series *s = reader->series;
    struct problems *problems = reader->binding->problems;
    bool ends = s->repeat || !s->kind->is_limit;
    if (!check_row_count(reader))
        return;
    if (s->has_dates && reader->start_ns == TIME_NONE_NS) {
        problems_add(
            problems, s->where, s->kind->path,
            "expected the key \"start_time\", since %s holds date-times: the instant of t = 0",
            s->file);
        return;
    }
    if (has_period(s)) {
        begin_by_zero(reader, units_ns(s->period_s));
        return;
    }
    if (s->repeat && reader->uneven.line > 0)
        problems_add(problems, reader->uneven, s->time_column,
                     "expected a step of %.15g s as before, to repeat without a period, got "
                     "one of %.15g s%s",
                     units_s(reader->even_ns), units_s(reader->uneven_ns), advised_period(reader));
    if (!ends || __builtin_add_overflow(reader->last_ns, reader->step_ns, &s->end_ns))
        s->end_ns = TIME_NONE_NS;
    if (s->repeat &&
        (s->end_ns == TIME_NONE_NS || units_s(s->end_ns) - units_s(s->first_ns) > TIME_MAX_S))
        problems_add(problems, s->where, s->kind->path,
                     "expected a series of at most 4e9 s to repeat");
}

int series_load(struct series *series, int64_t start_ns, const struct binding *binding) {
    struct reader r = {.series = series,
                       .binding = binding,
                       .start_ns = start_ns,
                       .last_ns = INT64_MIN,
                       .last = NAN};
    struct error error = {0};
    size_t before = binding->problems->count;
    if (!series->kind || !series->file)
        return 0;
    if (!schema_can_read(binding, series->file))
        return ERROR_INPUT;
    if (csv_open(series->file, ',', &r.csv, &error) < 0)
        return problems_say(binding->problems, "%s", error.text);
    if (find_series_columns(&r) == 0) {
        csv_each_row(r.csv, binding->problems, read_series_row, &r);
        if (binding->problems->count == before)
            end_rows(&r);
    }
    series->count = r.steps.count;
    series->steps = arena_alloc(binding->arena, series->count * sizeof *series->steps);
    if (series->count > 0)
        memcpy(series->steps, r.steps.at, series->count * sizeof *series->steps);
    free(r.steps.at);
    str_finish(&r.text);
    csv_close(r.csv);
    return binding->problems->count > before ? ERROR_INPUT : 0;
}

int series_check_cover(const struct series *series, int64_t horizon_ns,
                       const struct binding *binding) {
    if (!series->kind || series->count == 0 || series->kind->is_limit)
        return 0;
    if (series->first_ns > 0)
        return problems_add(
            binding->problems, series->where, series->kind->path,
            "expected a series from t = 0 on or a period, got one from t = %.9g s on (%s)",
            units_s(series->first_ns), series->file);
    if (series->repeat ||
        (horizon_ns == TIME_NONE_NS ? series->end_ns > 0 : series->end_ns >= horizon_ns))
        return 0;
    if (horizon_ns == TIME_NONE_NS)
        horizon_ns = 0;
    return problems_add(
        binding->problems, series->where, series->kind->path,
        "expected a series up to t = %.9g s or a period, got one up to t = %.9g s (%s)",
        units_s(horizon_ns), units_s(series->end_ns), series->file);
}

/* --- next step --- */

int64_t series_period_ns(const struct series *series) {
    return series->kind && series->repeat && series->count > 1 ? series->end_ns - series->first_ns
                                                               : 0;
}

int64_t series_last_ns(const struct series *series) {
    return series->kind && !series->repeat ? series->end_ns : TIME_NONE_NS;
}

/* The step after this one, which may be the first of the next round; none at the end of time. */
static void step_on(struct series_cursor *cursor) {
    int64_t period_ns = series_period_ns(cursor->series);
    if (++cursor->next < cursor->series->count || period_ns == 0)
        return;
    if (!__builtin_add_overflow(cursor->shift_ns, period_ns, &cursor->shift_ns))
        cursor->next = 0;
}

void series_start(struct series_cursor *cursor, const struct series *series) {
    *cursor = (struct series_cursor){.series = series,
                                     .value = !series->kind            ? series->constant
                                              : series->kind->is_limit ? INFINITY
                                                                       : NAN};
    int64_t period_ns = series_period_ns(series);
    if (period_ns > 0 && series->first_ns < 0)
        cursor->shift_ns = -series->first_ns / period_ns * period_ns;
    if (series->count > 0 &&
        series->steps[0].value == cursor->value) /* the first step is no change */
        step_on(cursor);
    while (series_next_ns(cursor) <= 0)
        series_pass(cursor);
}

int64_t series_next_ns(const struct series_cursor *cursor) {
    const struct series *s = cursor->series;
    int64_t time_ns;
    return cursor->next >= s->count || __builtin_add_overflow(s->steps[cursor->next].time_ns,
                                                              cursor->shift_ns, &time_ns)
               ? TIME_NONE_NS
               : time_ns;
}

void series_pass(struct series_cursor *cursor) {
    cursor->value = cursor->series->steps[cursor->next].value;
    do /* the last step and the first of the next round may be equal */
        step_on(cursor);
    while (cursor->next < cursor->series->count &&
           cursor->series->steps[cursor->next].value == cursor->value);
}
