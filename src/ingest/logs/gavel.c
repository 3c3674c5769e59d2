/* Gavel traces: tab-separated, no header; the command may hold blanks, commas and %. Nine fields,
   or ten with a working directory after the command. Invariant: the last fields are counted from
   the end of the line. */
#include "base/numfmt.h"
#include "base/units.h"
#include "ingest/foreign.h"
#include "ingest/logs/formats.h"
#include "io/lines.h"

#include <string.h>

#define FIELDS(X) \
    X(TYPE, "job_type"), X(COMMAND, "command"), X(FOLDER, "working_dir"), \
        X(STEPS_OPTION, "num_steps_arg"), X(NEEDS_DATA, "needs_data_dir"), \
        X(STEPS, "total_steps"), X(SCALE, "scale_factor"), X(WEIGHT, "priority_weight"), \
        X(SLO, "SLO"), X(ARRIVAL, "arrival_time")
enum field { FIELDS(ENUM_OF), FIELD_COUNT };

static const char *const field_names[FIELD_COUNT] = {FIELDS(NAME_OF)};

static const enum field label_fields[] = {TYPE,       COMMAND, FOLDER, STEPS_OPTION,
                                          NEEDS_DATA, STEPS,   WEIGHT, SLO};

#define LABEL_COUNT (sizeof label_fields / sizeof *label_fields)

struct reader {
    struct lines *lines;
    const char *file;
    struct trace *trace;
    struct problems *problems;
    const char *line;
    struct slice fields[FIELD_COUNT];
    struct trace_text_cache labels[LABEL_COUNT]; /* of lines before it */
};

static struct slice trimmed_field(const char *begin, const char *end) {
    while (begin < end && (*begin == ' ' || *begin == '\t'))
        begin++;
    while (end > begin && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    return (struct slice){begin, (size_t)(end - begin)};
}

/* Fields after the last are counted, not kept. */
static size_t split_tabs(struct reader *reader, struct slice line) {
    const char *at = line.at, *end = line.at + line.length;
    size_t count = 0;
    reader->line = line.at;
    for (;; at++) {
        const char *tab = memchr(at, '\t', (size_t)(end - at));
        if (count < FIELD_COUNT)
            reader->fields[count] = trimmed_field(at, tab ? tab : end);
        count++;
        if (!tab)
            break;
        at = tab;
    }
    if (count == FIELD_COUNT - 1) { /* no working directory */
        memmove(&reader->fields[FOLDER + 1], &reader->fields[FOLDER],
                (FIELD_COUNT - 1 - FOLDER) * sizeof *reader->fields);
        reader->fields[FOLDER] = (struct slice){0};
        count++;
    }
    return count;
}

static void refuse_gavel_field(struct reader *reader, enum field field, const char *expected) {
    struct slice text = reader->fields[field];
    struct location where = {reader->file, lines_number(reader->lines),
                             text.at ? (uint32_t)(text.at - reader->line) + 1 : 0};
    problems_add(reader->problems, where, field_names[field], "expected %s, got \"%.*s\"", expected,
                 (int)(text.length < 80 ? text.length : 80), text.at ? text.at : "");
}

static int64_t whole_number_of(struct reader *reader, enum field field, int64_t most,
                               const char *expected) {
    int64_t value = 0;
    struct slice text = reader->fields[field];
    if (slice_parse_whole(text, &value) && value >= 0 && value <= most)
        return value;
    refuse_gavel_field(reader, field, expected);
    return 0;
}

/* "ResNet-18 (batch size 32)": the name, and the batch of each worker; 0 if there is none. */
static uint32_t split_type(struct slice *type) {
    static const char before[] = " (batch size ";
    const char *open = slice_find(*type, before);
    int64_t batch = 0;
    if (!open || type->at[type->length - 1] != ')')
        return 0;
    const char *number = open + sizeof before - 1;
    if (!numfmt_parse_int(number, (size_t)(type->at + type->length - 1 - number), &batch) ||
        batch < 1 || batch > FOREIGN_MAX_GPUS)
        return 0;
    type->length = (size_t)(open - type->at);
    return (uint32_t)batch;
}

static const char *const *labels_of_job(struct reader *reader) {
    const char **texts = arena_alloc(&reader->trace->arena, LABEL_COUNT * sizeof *texts);
    for (size_t i = 0; i < LABEL_COUNT; i++)
        texts[i] =
            trace_text_again(reader->trace, reader->fields[label_fields[i]], &reader->labels[i]);
    return texts;
}

static void add_gavel_job(struct reader *reader) {
    size_t before = reader->problems->count;
    struct trace_row row = trace_row_absent(lines_number(reader->lines));
    struct slice type = reader->fields[TYPE], arrival = reader->fields[ARRIVAL];
    double submit_s = 0;
    char number[NUMFMT_BYTES];
    double steps = (double)whole_number_of(reader, STEPS, INT64_C(1) << 53, "steps 0..2^53");
    row.gpus = (uint32_t)whole_number_of(reader, SCALE, FOREIGN_MAX_GPUS, "integer 0..2^30");
    row.batch = split_type(&type);
    if (type.length == 0)
        refuse_gavel_field(reader, TYPE, "a job type");
    if (!numfmt_parse_real(arrival.at, arrival.length, &submit_s) || submit_s < 0 ||
        submit_s > TIME_MAX_S)
        refuse_gavel_field(reader, ARRIVAL, "seconds 0..4e9");
    if (reader->problems->count > before)
        return;
    if (row.gpus == 0 || steps == 0) {
        trace_note(reader->trace, true, row.gpus == 0 ? "no GPUs" : "no steps", row.line);
        return;
    }
    if (row.batch == 0)
        trace_note(reader->trace, false,
                   "no batch size in the job type: a step is one sample of each GPU", row.line);
    row.submit_ns = units_ns(submit_s);
    row.model = trace_text(reader->trace, type);
    row.work_samples = steps * row.gpus * (row.batch > 0 ? row.batch : 1);
    row.id = arena_strndup(&reader->trace->arena, number,
                           numfmt_int(number, (int64_t)reader->trace->rows_read));
    row.labels = labels_of_job(reader);
    trace_add(reader->trace, &row);
}

static void read_gavel_line(struct reader *reader, struct slice line) {
    if (trimmed_field(line.at, line.at + line.length).length == 0)
        return;
    reader->trace->rows_read++;
    size_t count = split_tabs(reader, line);
    if (count == FIELD_COUNT)
        add_gavel_job(reader);
    else
        problems_add(reader->problems,
                     (struct location){reader->file, lines_number(reader->lines), 1}, NULL,
                     "expected 9 or 10 fields separated by tabs, found %zu", count);
}

static int gavel_read(const char *path, const struct trace_options *options, struct trace *trace,
                      struct problems *problems) {
    (void)options;
    size_t before = problems->count;
    struct reader r = {.file = strcmp(path, "-") == 0 ? "standard input" : path,
                       .trace = trace,
                       .problems = problems};
    struct error error = {0};
    struct slice line;
    if (lines_open(path, &r.lines, &error) < 0)
        return problems_say(problems, "%s", error.text);
    for (size_t i = 0; i < LABEL_COUNT; i++)
        array_push(&trace->label_names, field_names[label_fields[i]]);
    trace->unused = "columns command (label), working_dir (label), num_steps_arg (label), "
                    "needs_data_dir (label), priority_weight (label), SLO (label)";
    for (int got; (got = lines_next(r.lines, &line, &error)) != 0;) {
        if (got > 0) {
            read_gavel_line(&r, line);
            continue;
        }
        problems_add_text(problems, r.file, error.text);
        if (got != ERROR_INPUT)
            break;
    }
    trace_sort(trace, true);
    lines_close(r.lines);
    return problems->count > before ? ERROR_INPUT : 0;
}

const struct trace_reader gavel_reader = {"gavel", "trace of the Gavel simulator (tab-separated)",
                                          gavel_read, 0};
