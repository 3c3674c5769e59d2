/* Slurm's accounting, as `sacct --parsable2` prints it: a header, fields between |, no quotes. A
   job is a row, its steps are others; times are local where sacct ran (sacct(1), Job Accounting
   Fields). */
#include "base/units.h"
#include "ingest/foreign.h"
#include "ingest/logs/formats.h"
#include "ingest/logs/log_table.h"

#include <math.h>

#define COLUMNS(X) \
    X(ID, "JobID|JobIDRaw"), X(SUBMIT, "Submit"), X(START, "Start"), X(ELAPSED, "ElapsedRaw"), \
        X(STATE, "State"), X(TRES, "AllocTRES"), X(LIMIT, "Timelimit"), \
        X(LIMIT_MINUTES, "TimelimitRaw"), X(USER, "User|UserName")
enum column { COLUMNS(ENUM_OF), COLUMN_COUNT, REQUIRED_COUNT = LIMIT };

static const char *const column_names[COLUMN_COUNT] = {COLUMNS(NAME_OF)};

static bool is_unknown(const struct table *table, int column) {
    return table_is_absent(table, column) || slice_is_word(table_field(table, column), "unknown");
}

static bool begins_with(struct slice text, const char *word) {
    return text.length >= strlen(word) && memcmp(text.at, word, strlen(word)) == 0;
}

/* --- GPUs: "billing=8,cpu=8,gres/gpu:a100=2,gres/gpu=2,mem=4G,node=1" --- */

struct gpus {
    uint32_t all;      /* gres/gpu=N */
    uint32_t of_types; /* sum of gres/gpu:TYPE=N */
    uint32_t types;
    struct slice type;
    bool bad;
};

/* Slurm writes 2048 as 2K. */
static bool read_count(struct slice text, uint32_t *count) {
    static const char suffixes[] = "KMG";
    const char *suffix = text.length > 0 ? strchr(suffixes, text.at[text.length - 1]) : NULL;
    bool has_suffix = suffix && *suffix;
    int64_t value = 0;
    text.length -= has_suffix;
    if (!slice_parse_whole(text, &value) || value < 0 || value > FOREIGN_MAX_GPUS)
        return false;
    for (const char *at = suffixes; has_suffix && at <= suffix; at++)
        value = value > FOREIGN_MAX_GPUS ? value : value * 1024;
    *count = (uint32_t)value;
    return value <= FOREIGN_MAX_GPUS;
}

static void add_part(struct gpus *gpus, struct slice part) {
    static const char name[] = "gres/gpu";
    size_t length = sizeof name - 1;
    const char *equals = memchr(part.at, '=', part.length);
    uint32_t count = 0;
    if (!begins_with(part, name) || part.length == length ||
        !strchr(":=", part.at[length])) /* gres/gpumem is another one */
        return;
    if (!equals ||
        !read_count((struct slice){equals + 1, part.length - (size_t)(equals + 1 - part.at)},
                    &count)) {
        gpus->bad = true;
    } else if (part.at[length] == '=') {
        gpus->all = count;
    } else if (count > 0) {
        gpus->of_types += count; /* at most 2^30 each, and the sum is compared below */
        gpus->bad = gpus->bad || gpus->of_types > FOREIGN_MAX_GPUS;
        gpus->types++;
        gpus->type = (struct slice){part.at + length + 1, (size_t)(equals - part.at) - length - 1};
    }
}

static struct gpus read_gpus(struct table *table) {
    struct slice rest = table_field(table, TRES);
    struct gpus gpus = {.all = 0};
    while (rest.length > 0 && !gpus.bad) {
        const char *comma = memchr(rest.at, ',', rest.length);
        size_t length = comma ? (size_t)(comma - rest.at) : rest.length;
        add_part(&gpus, (struct slice){rest.at, length});
        length += comma != NULL;
        rest = (struct slice){rest.at + length, rest.length - length};
    }
    if (gpus.bad)
        table_bad(table, TRES, "expected gres/gpu=0..2^30, got", "");
    return gpus;
}

static void set_gpus(struct table *table, struct trace_row *row, const struct gpus *gpus) {
    row->gpus = gpus->all > 0 ? gpus->all : gpus->of_types;
    if (gpus->types == 1 && gpus->of_types == row->gpus)
        row->gpu_type = trace_text(table->trace, gpus->type);
}

/* --- time limit: minutes, "MM:SS", "HH:MM:SS", "D-HH:MM:SS"; or UNLIMITED, Partition_Limit --- */

/* A whole number of digits at *at, which moves past it; -1: none. */
static int64_t read_digits(struct slice *at) {
    int64_t value = -1;
    for (; at->length > 0 && at->at[0] >= '0' && at->at[0] <= '9' && value < INT32_MAX;
         at->at++, at->length--)
        value = 10 * (value < 0 ? 0 : value) + (at->at[0] - '0');
    return value;
}

/* Seconds; -1: no time. */
static double limit_s(struct slice text) {
    int64_t days = 0, parts[3], count = 0, first = read_digits(&text);
    if (first >= 0 && text.length > 0 && text.at[0] == '-') {
        days = first;
        text = (struct slice){text.at + 1, text.length - 1};
        first = read_digits(&text);
    }
    for (parts[count++] = first; text.length > 0 && text.at[0] == ':' && count < 3;) {
        text = (struct slice){text.at + 1, text.length - 1};
        parts[count++] = read_digits(&text);
    }
    for (int64_t i = 0; i < count; i++)
        if (parts[i] < 0)
            return -1;
    if (text.length > 0 || count < 2)
        return -1;
    int64_t s = count == 3 ? 3600 * parts[0] + 60 * parts[1] + parts[2] : 60 * parts[0] + parts[1];
    return 86400.0 * (double)days + (double)s;
}

/* NAN: none. */
static double requested_s(struct table *table) {
    bool raw = table->columns[LIMIT_MINUTES] >= 0;
    int column = raw ? LIMIT_MINUTES : LIMIT;
    struct slice field = table_field(table, column);
    if (is_unknown(table, column) || slice_is_word(field, "unlimited") ||
        slice_is_word(field, "partition_limit"))
        return NAN;
    if (raw)
        return 60 * table_real(table, column, 0, TIME_MAX_S / 60, "expected minutes, got");
    double s = limit_s(field);
    if (s >= 0 && s <= TIME_MAX_S)
        return s;
    table_bad(table, column, "expected a time limit [D-]HH:MM:SS or UNLIMITED, got", "");
    return NAN;
}

/* --- a row --- */

static void add_notes(struct table *table, const struct trace_row *row, const struct gpus *gpus) {
    struct slice id = table_field(table, ID), state = table_field(table, STATE);
    if (begins_with(state, "RUNNING") || begins_with(state, "SUSPENDED"))
        table_note(table, "not over when the log was written: run time up to then", row);
    if (memchr(id.at, '+', id.length))
        table_note(table, "part of a heterogeneous job: a job of its own", row);
    if (gpus->types > 1)
        table_note(table, "GPUs of several types: of any type", row);
}

static const char *read_slurm_job(struct table *table, struct trace_row *row) {
    struct slice id = table_field(table, ID);
    if (id.length > 0 && memchr(id.at, '.', id.length))
        return "a step of a job";
    if (is_unknown(table, SUBMIT))
        return "no submit time";
    row->submit_ns = table_time(table, SUBMIT);
    if (is_unknown(table, START))
        return "never started";
    (void)table_time(table, START); /* it is only to be one */
    row->duration_s = is_unknown(table, ELAPSED) ? NAN : table_seconds(table, ELAPSED, -TIME_MAX_S);
    row->requested_s = requested_s(table);
    row->user = table_text(table, USER);
    struct gpus gpus = read_gpus(table);
    set_gpus(table, row, &gpus);
    if (begins_with(table_field(table, STATE), "REQUEUED"))
        return "an attempt that was requeued";
    const char *reason = table_reason(row);
    if (!reason)
        add_notes(table, row, &gpus);
    return reason;
}

static int slurm_read(const char *path, const struct trace_options *options, struct trace *trace,
                      struct problems *problems) {
    static const struct table_format format = {.columns = column_names,
                                               .count = COLUMN_COUNT,
                                               .required = REQUIRED_COUNT,
                                               .models_from = COLUMN_COUNT,
                                               .id = ID,
                                               .labels_too = 1u << STATE,
                                               .only_checked = 1u << START,
                                               .separator = '|',
                                               .attempts = true,
                                               .time_zone = "UTC",
                                               .read_row = read_slurm_job};
    return table_read(path, &format, options, trace, problems, NULL);
}

const struct trace_reader slurm_reader = {"slurm", "accounting of Slurm, from sacct", slurm_read,
                                          TRACE_OPTION_TIME_ZONE};
