/* Microsoft Philly GPU cluster, August to December 2017 (github.com/msr-fiddle/philly-traces):
   flattened to one row a job (timestamp, duration, num_gpus, gpu_time, cluster: the virtual one),
   and as published. */
#include "ingest/logs/formats.h"

#include "base/units.h"
#include "ingest/logs/log_table.h"
#include "io/bytes.h"
#include "io/json_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- philly --- */

/* The log has local times without a zone; its utilization tables bear PDT and PST. The rule of
   these, in force since 2007, is written out so that it needs no zone files. */
#define PHILLY_TIME_ZONE "PST8PDT,M3.2.0,M11.1.0"

enum column { SUBMIT, DURATION, GPUS, CLUSTER, COLUMN_COUNT };

static const char *const column_names[COLUMN_COUNT] = {"timestamp", "duration", "num_gpus",
                                                       "cluster"};

static const char *read_philly_job(struct table *table, struct trace_row *row) {
    row->submit_ns = table_time(table, SUBMIT);
    row->duration_s =
        table_is_absent(table, DURATION) ? NAN : table_seconds(table, DURATION, -TIME_MAX_S);
    row->gpus = table_whole(table, GPUS, 0);
    row->user = table_text(table, CLUSTER);
    return table_reason(row);
}

static int philly_read(const char *path, const struct trace_options *options, struct trace *trace,
                       struct problems *problems) {
    static const struct table_format format = {.columns = column_names,
                                               .count = COLUMN_COUNT,
                                               .required = COLUMN_COUNT,
                                               .models_from = COLUMN_COUNT,
                                               .id = -1,
                                               .time_zone = PHILLY_TIME_ZONE,
                                               .read_row = read_philly_job,
                                               .note_repeats = true};
    return table_read(path, &format, options, trace, problems, NULL);
}

const struct trace_reader philly_reader = {"philly", "Microsoft Philly, flattened (CSV)",
                                           philly_read, TRACE_OPTION_TIME_ZONE};

/* --- philly_json --- */
/* As published (cluster_job_log, README of the repository): a JSON array of jobs {status, vc,
   jobid, attempts: [{start_time, end_time, detail: [{ip, gpus: [...]}]}], submitted_time, user}.
   Invariant: buffer[begin..end) are bytes not yet taken, line is that of begin; one job is in
   memory at a time. */

#define READ_BYTES    ((size_t)64 << 10)
#define JOB_MAX_BYTES ((size_t)16 << 20)

enum label { LABEL_VC, LABEL_STATUS, LABEL_ATTEMPTS, LABEL_COUNT };

struct reader {
    struct bytes *bytes;
    struct trace *trace;
    struct problems *problems;
    struct time_zone *zone;
    struct intern ids;
    char *buffer;
    size_t begin, end, capacity;
    uint32_t line;
    bool failed;                /* to read; that is a problem already */
    struct clock_changes clock; /* of the current job */
};

/* --- bytes --- */

static void refuse_place(struct reader *reader, uint32_t line, const char *path, const char *text) {
    if (!reader->failed)
        problems_add(reader->problems, (struct location){bytes_name(reader->bytes), line, 0}, path,
                     "%s", text);
}

/* Reads more bytes; returns their number, 0 at the end or after a problem. */
static size_t read_more(struct reader *reader) {
    struct error error = {0};
    if (reader->failed)
        return 0;
    if (reader->begin > 0) {
        memmove(reader->buffer, reader->buffer + reader->begin, reader->end - reader->begin);
        reader->end -= reader->begin;
        reader->begin = 0;
    }
    if (reader->capacity - reader->end < READ_BYTES) {
        reader->capacity *= 2;
        reader->buffer = mem_realloc(reader->buffer, reader->capacity, 1);
    }
    ssize_t count = bytes_read(reader->bytes, reader->buffer + reader->end,
                               reader->capacity - reader->end, "", &error);
    reader->failed = count < 0;
    if (reader->failed)
        problems_say(reader->problems, "%s", error.text);
    if (count <= 0)
        return 0;
    reader->end += (size_t)count;
    return (size_t)count;
}

static void take_bytes(struct reader *reader, size_t length) {
    const char *at = reader->buffer + reader->begin, *end = at + length;
    reader->begin += length;
    while ((at = memchr(at, '\n', (size_t)(end - at)))) {
        reader->line++;
        at++;
    }
}

/* The next byte that is no blank, or -1. */
static int peek_byte(struct reader *reader) {
    for (;;) {
        size_t at = reader->begin;
        while (at < reader->end && strchr(" \t\r\n", reader->buffer[at]) && reader->buffer[at])
            at++;
        take_bytes(reader, at - reader->begin);
        if (reader->begin < reader->end)
            return (unsigned char)reader->buffer[reader->begin];
        if (read_more(reader) == 0)
            return -1;
    }
}

/* The value at begin; empty after a problem. Valid until the next read. */
static struct slice next_value(struct reader *reader) {
    struct json_scan scan = {0};
    for (size_t scanned = 0;;) {
        const char *at = reader->buffer + reader->begin, *end = reader->buffer + reader->end;
        const char *behind = json_scan(&scan, at + scanned, end);
        if (behind && json_is_valid((struct slice){at, (size_t)(behind - at)}))
            return (struct slice){at, (size_t)(behind - at)};
        scanned = reader->end - reader->begin;
        if (behind)
            refuse_place(reader, reader->line, NULL,
                         "expected a job as valid JSON, nested at most 512 deep");
        else if (scanned > JOB_MAX_BYTES)
            refuse_place(reader, reader->line, NULL, "a job of more than 16 MiB");
        else if (read_more(reader) == 0)
            refuse_place(reader, reader->line, NULL, "the file ends within this job");
        else
            continue;
        return (struct slice){0};
    }
}

/* --- one job --- */

/* Text of a member as it is; empty if it is not there, null, or "None". */
static struct slice text_of(struct slice object, const char *key) {
    struct slice value = json_find(object, key), text = json_string(value);
    bool is_none = !json_is_string(value) || slice_is(text, "None");
    return is_none ? (struct slice){0} : text;
}

/* The time of a member; false if it is absent or bad, which is a problem. */
static bool time_of(struct reader *reader, struct slice object, const char *key, int64_t *unix_ns) {
    struct slice text = text_of(object, key);
    if (text.length == 0)
        return false;
    if (local_time_read(text, reader->zone, &reader->clock, unix_ns))
        return true;
    problems_add(reader->problems, (struct location){bytes_name(reader->bytes), reader->line, 0},
                 key, "expected YYYY-MM-DD HH:MM:SS of 1970..2096, got \"%.*s\"",
                 (int)(text.length < 80 ? text.length : 80), text.at);
    return false;
}

static uint32_t count_gpus(struct slice attempt) {
    struct json_cursor servers = json_inside(json_find(attempt, "detail"));
    struct slice server, gpu;
    uint32_t gpus = 0;
    while (json_element(&servers, &server)) {
        struct json_cursor cursor = json_inside(json_find(server, "gpus"));
        while (json_element(&cursor, &gpu))
            gpus++;
    }
    return gpus;
}

/* Sums over the attempts of a job. */
struct attempts {
    uint32_t count, untimed, reversed;
    uint32_t gpus; /* of the last one with times */
    bool uneven;   /* not all had as many */
    bool last_untimed;
    double gpu_s;
};

static struct attempts add_up_attempts(struct reader *reader, struct slice job) {
    struct attempts sum = {0};
    struct json_cursor cursor = json_inside(json_find(job, "attempts"));
    for (struct slice attempt; json_element(&cursor, &attempt);) {
        int64_t start_ns, end_ns;
        bool started = time_of(reader, attempt, "start_time", &start_ns),
             ended = time_of(reader, attempt, "end_time", &end_ns);
        sum.count++;
        sum.last_untimed = !started || !ended;
        if (sum.last_untimed) {
            sum.untimed++;
            continue;
        }
        uint32_t gpus = count_gpus(attempt);
        sum.uneven = sum.uneven || (sum.count > sum.untimed + 1 && gpus != sum.gpus);
        sum.gpus = gpus;
        if (end_ns < start_ns)
            sum.reversed++;
        else
            sum.gpu_s += gpus * units_s(end_ns - start_ns);
    }
    return sum;
}

static const char *why_job_dropped(const struct attempts *sum, bool submitted) {
    if (!submitted)
        return "no submit time";
    if (sum->count == 0)
        return "never ran (no attempt)";
    if (sum->last_untimed)
        return "the last attempt has no start or no end: still running, or not logged";
    if (sum->gpus == 0)
        return "no GPUs";
    return sum->gpu_s > 0 ? NULL : "duration not above 0";
}

static void add_philly_job(struct reader *reader, struct slice job, const char *id,
                           int64_t submit_ns, const struct attempts *sum) {
    struct trace_row row = trace_row_absent(reader->line);
    const char **labels = arena_alloc(&reader->trace->arena, LABEL_COUNT * sizeof *labels);
    row.id = id;
    row.submit_ns = submit_ns;
    row.user = trace_text(reader->trace, text_of(job, "user"));
    row.gpus = sum->gpus;
    row.duration_s = sum->gpu_s / sum->gpus;
    labels[LABEL_VC] = trace_text(reader->trace, text_of(job, "vc"));
    labels[LABEL_STATUS] = trace_text(reader->trace, text_of(job, "status"));
    labels[LABEL_ATTEMPTS] = arena_printf(&reader->trace->arena, "%u", sum->count);
    row.labels = labels;
    if (sum->untimed > 0)
        trace_note(reader->trace, false, "attempts without a start or an end left out", row.line);
    if (sum->reversed > 0)
        trace_note(reader->trace, false, "attempts that end before they start count as 0 s",
                   row.line);
    if (sum->uneven)
        trace_note(reader->trace, false,
                   "attempts on different numbers of GPUs: those of the last, equal GPU-seconds",
                   row.line);
    local_time_note(&reader->clock, reader->trace, row.line);
    trace_add(reader->trace, &row);
}

/* The job's id, or NULL after a problem. */
static const char *job_id(struct reader *reader, struct slice job) {
    struct slice id = text_of(job, "jobid");
    bool is_new = true;
    if (id.length == 0) {
        refuse_place(reader, reader->line, "jobid", "expected a job id");
        return NULL;
    }
    uint32_t number = intern(&reader->ids, id.at, id.length, &is_new);
    if (is_new)
        return intern_text(&reader->ids, number);
    problems_add(reader->problems, (struct location){bytes_name(reader->bytes), reader->line, 0},
                 "jobid", "job \"%.*s\" is listed twice", (int)(id.length < 80 ? id.length : 80),
                 id.at);
    return NULL;
}

static void read_job(struct reader *reader, struct slice job) {
    size_t before = reader->problems->count;
    int64_t submit_ns = 0;
    reader->trace->rows_read++;
    reader->clock = (struct clock_changes){0};
    if (job.at[0] != '{') {
        refuse_place(reader, reader->line, NULL,
                     "expected a job as a JSON object, got something else");
        return;
    }
    const char *id = job_id(reader, job);
    bool submitted = time_of(reader, job, "submitted_time", &submit_ns);
    struct attempts sum = add_up_attempts(reader, job);
    if (reader->problems->count > before)
        return;
    const char *reason = why_job_dropped(&sum, submitted);
    if (reason)
        trace_note(reader->trace, true, reason, reader->line);
    else
        add_philly_job(reader, job, id, submit_ns, &sum);
}

/* --- the file --- */

static void read_jobs(struct reader *reader) {
    static const char bom[] = "\xef\xbb\xbf";
    if (peek_byte(reader) == 0xef && reader->end - reader->begin >= 3 &&
        memcmp(reader->buffer + reader->begin, bom, 3) == 0)
        take_bytes(reader, 3);
    if (peek_byte(reader) != '[') {
        refuse_place(reader, reader->line, NULL, "expected a JSON array of jobs");
        return;
    }
    take_bytes(reader, 1);
    int byte = peek_byte(reader);
    while (byte != ']') {
        struct slice job = byte < 0 ? (struct slice){0} : next_value(reader);
        if (job.length == 0) {
            if (byte < 0)
                refuse_place(reader, reader->line, NULL, "the file ends within the array of jobs");
            return;
        }
        read_job(reader, job);
        take_bytes(reader, job.length);
        byte = peek_byte(reader);
        if (byte == ']')
            break;
        if (byte != ',') {
            refuse_place(reader, reader->line, NULL, "expected a comma or ] after a job");
            return;
        }
        take_bytes(reader, 1);
        byte = peek_byte(reader);
        if (byte == ']')
            refuse_place(reader, reader->line, NULL, "expected a job after the comma");
    }
    take_bytes(reader, 1);
    if (peek_byte(reader) >= 0)
        refuse_place(reader, reader->line, NULL,
                     "expected the end of the file after the array of jobs");
}

static int open_log(struct reader *reader, const char *path, struct error *reterr) {
    reader->capacity = 2 * READ_BYTES;
    reader->buffer = mem_alloc(reader->capacity);
    int code = time_zone_open(reader->trace->time_zone, &reader->zone, reterr);
    return code < 0 ? code : bytes_open(path, &reader->bytes, reterr);
}

static int philly_json_read(const char *path, const struct trace_options *options,
                            struct trace *trace, struct problems *problems) {
    static const char *const label_names[LABEL_COUNT] = {"vc", "status", "attempts"};
    size_t before = problems->count;
    struct reader r = {.trace = trace, .problems = problems, .line = 1};
    struct error error = {0};
    for (size_t i = 0; i < LABEL_COUNT; i++)
        array_push(&trace->label_names, label_names[i]);
    trace->unused = "members vc (label), status (label)";
    trace->time_zone = options && options->time_zone ? options->time_zone : PHILLY_TIME_ZONE;
    if (open_log(&r, path, &error) < 0)
        problems_say(problems, "%s", error.text);
    else
        read_jobs(&r);
    trace_sort(trace, true);
    arena_adopt(&trace->arena, &r.ids.arena);
    intern_finish(&r.ids);
    free(r.buffer);
    time_zone_close(r.zone);
    bytes_close(r.bytes);
    return problems->count > before ? ERROR_INPUT : 0;
}

const struct trace_reader philly_json_reader = {"philly-json",
                                                "Microsoft Philly, cluster_job_log (JSON)",
                                                philly_json_read, TRACE_OPTION_TIME_ZONE};
