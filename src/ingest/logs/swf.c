/* Standard Workload Format (Feitelson et al., 2.2): 18 fields a job, -1: unknown, ";": comment. */
#include "base/numfmt.h"
#include "base/units.h"
#include "base/word.h"
#include "ingest/foreign.h"
#include "ingest/logs/formats.h"
#include "io/lines.h"
#include "workload/trace.h"

#include <math.h>
#include <stdlib.h>

/* Numbers of the fields as the standard counts them, from 1. */
enum field {
    JOB = 1,
    SUBMIT = 2,
    RUN = 4,
    ALLOCATED = 5, /* processors */
    REQUESTED = 8, /* processors */
    REQUESTED_TIME = 9,
    STATUS = 11,
    USER = 12,
    GROUP = 13,
    QUEUE = 15,
    PARTITION = 16,
    FIELD_COUNT = 18 /* more are ignored: some logs have 21 */
};

enum status { STATUS_PART_CONTINUED = 2, STATUS_PART_FAILED = 4, STATUS_CANCELLED = 5 };

/* A long job may have lines for its parts, after a line for the whole of it. */
static bool is_part(int64_t status) {
    return status >= STATUS_PART_CONTINUED && status <= STATUS_PART_FAILED;
}

/* The fields that are read. Others may hold any text, but no number that is not finite. */
static const struct {
    enum field field;
    bool seconds; /* fractions are allowed */
    double most;
} used_fields[] = {
    {JOB, false, 0x1p63},
    {SUBMIT, true, TIME_MAX_S},
    {RUN, true, TIME_MAX_S},
    {STATUS, false, 0x1p63},
    {ALLOCATED, false, FOREIGN_MAX_GPUS},
    {REQUESTED, false, FOREIGN_MAX_GPUS},
    {USER, false, 0x1p63},
    {REQUESTED_TIME, true, HUGE_VAL},
    {GROUP, false, 0x1p63},
    {PARTITION, false, 0x1p63},
    {QUEUE, false, 0x1p63},
};

static const struct {
    const char *name;
    enum field field;
} label_fields[] = {
    {"status", STATUS}, {"group", GROUP}, {"queue", QUEUE}, {"partition", PARTITION}};

#define LABEL_COUNT (sizeof label_fields / sizeof *label_fields)

#define DROPPED     UINT32_MAX
#define KNOWN_TEXTS 64

struct job {
    int64_t number;
    uint32_t line, row; /* row: of the trace, or DROPPED */
};

/* Texts of a column in lines before: the last one of each remainder of its number. */
struct known_texts {
    struct trace_text_cache cache;
    struct known_text {
        int64_t whole;
        size_t length;
        const char *text;
    } last[KNOWN_TEXTS];
};

struct reader {
    struct lines *lines;
    const char *file;
    struct trace *trace;
    struct problems *problems;

    const char *line; /* the current one */
    struct swf_field {
        struct slice text;
        int64_t whole;
    } fields[FIELD_COUNT + 1];          /* by number; 0: of those that are ignored */
    bool usual;                         /* all are digits with or without a minus */
    double seconds[REQUESTED_TIME + 1]; /* of fields that allow fractions */

    struct known_texts users, label_texts[LABEL_COUNT];
    const char *const *labels; /* of the last job, or NULL */

    ARRAY_OF(struct job) jobs; /* all except parts, as in the file */
};

/* --- one line --- */

static bool is_swf_blank(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* A line of digits and "-1", no number too large, as nearly every line is. After false nothing of
   it is known. */
static bool read_usual_line(struct reader *reader, struct slice line) {
    const char *at = line.at;
    struct swf_field *fields = reader->fields;
    size_t lengths = 0; /* of fields, less 1, their bits */
    for (int number = 1; number <= FIELD_COUNT; number++) {
        while (*at == ' ')
            at++;
        const char *begin = at;
        uint64_t whole = UINT64_MAX;
        if (memcmp(at, "-1", 2) == 0) {
            at += 2;
        } else {
            at += word_digits(at, &whole);
            for (unsigned digit; (digit = (unsigned char)*at - (unsigned)'0') < 10; at++)
                whole = whole * 10 + digit;
        }
        fields[number] = (struct swf_field){{begin, (size_t)(at - begin)}, (int64_t)whole};
        lengths |= fields[number].text.length - 1;
        if (*at != ' ' && (number < FIELD_COUNT || at != line.at + line.length))
            return false;
        at++;
    }
    bool usual = lengths < NUMFMT_SAFE_DIGITS;
    for (size_t i = 0; i < sizeof used_fields / sizeof *used_fields; i++) {
        double value = (double)fields[used_fields[i].field].whole;
        if (used_fields[i].seconds)
            reader->seconds[used_fields[i].field] = value;
        usual = usual && value <= used_fields[i].most;
    }
    return usual;
}

/* Splits up to a comment; returns how many fields there are. */
static size_t split_blanks(struct reader *reader, struct slice line) {
    const char *at = line.at, *end = line.at + line.length;
    reader->line = line.at;
    for (size_t count = 0;;) {
        while (at < end && is_swf_blank(*at))
            at++;
        if (at == end || *at == ';')
            return count;
        const char *begin = at;
        while (at < end && !is_swf_blank(*at) && *at != ';')
            at++;
        count++;
        reader->fields[count <= FIELD_COUNT ? count : 0].text =
            (struct slice){begin, (size_t)(at - begin)};
    }
}

/* A problem of a field of the current line. */
static void refuse_swf_field(struct reader *reader, enum field field, const char *expected) {
    struct slice text = reader->fields[field].text;
    struct location where = {reader->file, lines_number(reader->lines),
                             (uint32_t)(text.at - reader->line) + 1};
    char path[16 + NUMFMT_BYTES] = "field ";
    numfmt_int(path + strlen(path), field);
    problems_add(reader->problems, where, path, "expected %s, got \"%.*s\"", expected,
                 (int)(text.length < 80 ? text.length : 80), text.at);
}

static bool parse_fields(struct reader *reader) {
    static const enum field unused_fields[] = {3, 6, 7, 10, 14, 17, 18};
    bool good = true;
    for (size_t i = 0; i < sizeof unused_fields / sizeof *unused_fields; i++) {
        struct slice text = reader->fields[unused_fields[i]].text;
        if (numfmt_is_infinite(text.at, text.length)) {
            refuse_swf_field(reader, unused_fields[i], "finite number or text");
            good = false;
        }
    }
    for (size_t i = 0; i < sizeof used_fields / sizeof *used_fields; i++) {
        enum field number = used_fields[i].field;
        struct swf_field *field = &reader->fields[number];
        double value = 0;
        bool parsed = slice_parse_whole(field->text, &field->whole);
        if (parsed)
            value = (double)field->whole;
        else if (used_fields[i].seconds)
            parsed = numfmt_parse_real(field->text.at, field->text.length, &value);
        if (!parsed)
            refuse_swf_field(reader, number, used_fields[i].seconds ? "number" : "integer");
        else if (value > used_fields[i].most)
            refuse_swf_field(reader, number,
                             used_fields[i].seconds ? "at most 4e9 s" : "at most 2^30");
        else {
            if (used_fields[i].seconds)
                reader->seconds[number] = value;
            continue;
        }
        good = false;
    }
    return good;
}

static __attribute__((noinline)) const char *
look_up_text(struct reader *reader, const struct swf_field *field, struct known_texts *texts) {
    const char *text = trace_text_again(reader->trace, field->text, &texts->cache);
    if (reader->usual)
        texts->last[(uint64_t)field->whole % KNOWN_TEXTS] =
            (struct known_text){field->whole, field->text.length, text};
    return text;
}

/* Text of a field whose -1 means unknown. In usual lines number and length tell the texts apart,
   except "-0" from "00". */
static const char *known_text(struct reader *reader, enum field number, struct known_texts *texts) {
    const struct swf_field *field = &reader->fields[number];
    const struct known_text *last = &texts->last[(uint64_t)field->whole % KNOWN_TEXTS];
    bool known = last->whole == field->whole && last->length == field->text.length &&
                 reader->usual && (field->whole != 0 || last->length == 1);
    return field->whole == -1 ? NULL : known ? last->text : look_up_text(reader, field, texts);
}

/* Jobs in a row often have the same. */
static const char *const *labels_of_line(struct reader *reader) {
    const char *texts[LABEL_COUNT];
    for (size_t i = 0; i < LABEL_COUNT; i++)
        texts[i] = known_text(reader, label_fields[i].field, &reader->label_texts[i]);
    if (!reader->labels || memcmp(texts, reader->labels, sizeof texts) != 0)
        reader->labels =
            memcpy(arena_alloc(&reader->trace->arena, sizeof texts), texts, sizeof texts);
    return reader->labels;
}

/* --- one job --- */

/* NULL: the job can be replayed. */
static const char *why_line_dropped(const struct reader *reader) {
    int64_t status = reader->fields[STATUS].whole;
    if (is_part(status))
        return "part of a job that has a line of its own (status 2, 3 or 4)";
    if (reader->seconds[SUBMIT] < 0)
        return "no submit time";
    if (status == STATUS_CANCELLED && reader->seconds[RUN] <= 0)
        return "cancelled before it ran (status 5, run time 0 or unknown)";
    if (reader->seconds[RUN] < 0)
        return "run time unknown";
    if (reader->fields[ALLOCATED].whole <= 0 && reader->fields[REQUESTED].whole <= 0)
        return "no processors";
    return NULL;
}

static double requested_s(struct reader *reader) {
    double run_s = reader->seconds[RUN], limit_s = reader->seconds[REQUESTED_TIME];
    uint32_t line = lines_number(reader->lines);
    if (limit_s <= 0) {
        trace_note(reader->trace, false, "no requested time", line);
        return NAN;
    }
    if (limit_s > TIME_MAX_S) {
        trace_note(reader->trace, false, "requested time over 4e9 s taken as unknown", line);
        return NAN;
    }
    if (run_s > limit_s)
        trace_note(reader->trace, false, "run time longer than requested (kept)", line);
    return limit_s;
}

static void add_swf_job(struct reader *reader) {
    struct slice id = reader->fields[JOB].text;
    struct trace_row row = trace_row_absent(lines_number(reader->lines));
    row.id = arena_strndup(&reader->trace->arena, id.at, id.length);
    row.user = known_text(reader, USER, &reader->users);
    row.submit_ns = units_ns(reader->seconds[SUBMIT]);
    row.duration_s = reader->seconds[RUN];
    row.requested_s = requested_s(reader);
    row.gpus = (uint32_t)reader->fields[ALLOCATED].whole;
    if (reader->fields[ALLOCATED].whole <= 0) {
        row.gpus = (uint32_t)reader->fields[REQUESTED].whole;
        trace_note(reader->trace, false, "processors taken from the request", row.line);
    }
    row.labels = labels_of_line(reader);
    trace_add(reader->trace, &row);
}

static void read_swf_line(struct reader *reader, struct slice line) {
    reader->usual = read_usual_line(reader, line);
    size_t count = reader->usual ? FIELD_COUNT : split_blanks(reader, line);
    if (count == 0)
        return; /* blank or comment */
    reader->trace->rows_read++;
    if (count < FIELD_COUNT) {
        problems_add(reader->problems,
                     (struct location){reader->file, lines_number(reader->lines), 1}, NULL,
                     "expected at least %d fields, found %zu", FIELD_COUNT, count);
        return;
    }
    if (!reader->usual && !parse_fields(reader))
        return;
    const char *reason = why_line_dropped(reader);
    if (!is_part(reader->fields[STATUS].whole)) { /* parts bear the number of their job */
        uint32_t row = reason ? DROPPED : (uint32_t)reader->trace->rows.count;
        array_push(&reader->jobs,
                   ((struct job){reader->fields[JOB].whole, lines_number(reader->lines), row}));
    }
    if (reason)
        trace_note(reader->trace, true, reason, lines_number(reader->lines));
    else
        add_swf_job(reader);
}

/* --- the file --- */

static void read_swf_lines(struct reader *reader) {
    struct slice line;
    struct error error = {0};
    for (int got; (got = lines_next(reader->lines, &line, &error)) != 0;) {
        if (got > 0) {
            read_swf_line(reader, line);
            continue;
        }
        problems_add_text(reader->problems, reader->file, error.text);
        if (got != ERROR_INPUT)
            break;
    }
}

/* Orders rows by their numbers (the order by submit is stable) and finds numbers used twice. */
static void sort_by_number(struct reader *reader) {
    size_t count = reader->jobs.count, row_count = 0;
    uint32_t *order =
        count > 0 ? order_by_time(&reader->jobs.at->number, sizeof *reader->jobs.at, count) : NULL;
    struct trace_row *rows = order ? mem_zalloc(count, sizeof *rows) : NULL;
    const struct job *before = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct job *job = &reader->jobs.at[order ? order[i] : i];
        if (before && before->number == job->number)
            problems_add(reader->problems, (struct location){reader->file, job->line, 0}, NULL,
                         "job %lld is listed twice (first on line %u)", (long long)job->number,
                         (unsigned)before->line);
        if (order && job->row != DROPPED)
            rows[row_count++] = reader->trace->rows.at[job->row];
        before = job;
    }
    if (order) {
        free(reader->trace->rows.at);
        reader->trace->rows.at = rows;
        reader->trace->rows.capacity = count;
        reader->trace->ordered = 0;
        free(order);
    }
}

static int swf_read(const char *path, const struct trace_options *options, struct trace *trace,
                    struct problems *problems) {
    (void)options;
    size_t before = problems->count;
    struct reader r = {.file = strcmp(path, "-") == 0 ? "standard input" : path,
                       .trace = trace,
                       .problems = problems};
    struct error error = {0};
    if (lines_open(path, &r.lines, &error) < 0)
        return problems_say(problems, "%s", error.text);
    for (size_t i = 0; i < LABEL_COUNT; i++)
        array_push(&trace->label_names, label_fields[i].name);
    trace->unused = "fields 3, 6, 7, 10, 13 (label), 14, 15 (label), 16 (label), 17, 18";
    read_swf_lines(&r);
    sort_by_number(&r);
    trace_sort(trace, true);
    free(r.jobs.at);
    lines_close(r.lines);
    return problems->count > before ? ERROR_INPUT : 0;
}

const struct trace_reader swf_reader = {"swf", "Standard Workload Format 2.2, processors as GPUs",
                                        swf_read, 0};
