/* Reading and writing of the workload CSV. */
#include "workload/trace_file.h"

#include "base/numfmt.h"
#include "base/units.h"
#include "model/laws.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* --- trace_labels --- */

static void look_at(struct trace_label *label, const struct csv *csv, struct slice cell) {
    double value;
    if (label->has_text || cell.length == 0 || numfmt_parse_real(cell.at, cell.length, &value))
        return;
    label->has_text = !numfmt_is_infinite(cell.at, cell.length);
    if (label->has_text || label->infinite.line > 0)
        return;
    label->infinite = csv_where(csv, label->column);
    snprintf(label->infinite_text, sizeof label->infinite_text, "%.*s",
             (int)(cell.length < 23 ? cell.length : 23), cell.at);
}

const char *const *trace_labels_read(struct trace_labels *labels, struct trace *trace,
                                     const struct csv *csv) {
    if (labels->at.count == 0)
        return NULL;
    const char **texts = arena_alloc(&trace->arena, labels->at.count * sizeof *texts);
    for (size_t i = 0; i < labels->at.count; i++) {
        struct slice cell = csv_field(csv, labels->at.at[i].column);
        const char *last = labels->at.at[i].texts.last.at;
        texts[i] = trace_text_again(trace, cell, &labels->at.at[i].texts);
        if (texts[i] != last) /* as in the row before: nothing new */
            look_at(&labels->at.at[i], csv, cell);
    }
    return texts;
}

void trace_labels_check(const struct trace_labels *labels, const struct trace *trace,
                        struct problems *problems) {
    for (size_t i = 0; i < labels->at.count; i++) {
        const struct trace_label *label = &labels->at.at[i];
        if (label->infinite.line > 0 && !label->has_text)
            problems_add(
                problems, label->infinite, trace->label_names.at[i],
                "expected a finite number or empty, as in the rest of the column, got \"%s\"",
                label->infinite_text);
    }
}

/* --- trace_file --- */

#define PIECE_BYTES ((size_t)256 << 10) /* and the rest of a row */

#define COLUMNS(X) \
    X(ID, "job_id"), X(SUBMIT, "submit_s"), X(USER, "user"), X(MODEL, "model"), \
        X(WORK, "work_samples"), X(DURATION, "duration_s"), X(REQUESTED, "requested_s"), \
        X(GPUS, "gpus"), X(BATCH, "batch"), X(GPU_TYPE, "gpu_type"), X(DEADLINE, "deadline_s"), \
        X(CLASS, "class"), X(UTILIZATION, "utilization"), X(GPU_SHARE, "gpu_share")
enum column { COLUMNS(ENUM_OF), COLUMN_COUNT };

static const char *const column_names[COLUMN_COUNT] = {COLUMNS(NAME_OF)};

struct reader {
    struct csv *csv;
    struct trace *trace;
    struct problems *problems;
    int columns[COLUMN_COUNT];
    struct trace_labels labels;
    struct intern ids;
};

static void report_cell(struct reader *reader, enum column column, const char *expected) {
    csv_refuse(reader->csv, reader->columns[column], column_names[column], expected,
               reader->problems);
}

/* A number in [least, most]; NAN for an empty field, and for a refused one. */
static double real_cell(struct reader *reader, enum column column, double least, double most,
                        const char *expected) {
    struct slice field = csv_field(reader->csv, reader->columns[column]);
    double value = NAN;
    if (field.length == 0)
        return NAN;
    if (!numfmt_parse_real(field.at, field.length, &value) || !(value >= least && value <= most)) {
        report_cell(reader, column, expected);
        return NAN;
    }
    return value;
}

static uint32_t whole_cell(struct reader *reader, enum column column) {
    struct slice field = csv_field(reader->csv, reader->columns[column]);
    int64_t value = 0;
    if (field.length > 0 &&
        (!numfmt_parse_int(field.at, field.length, &value) || value < 1 || value > (1 << 30)))
        report_cell(reader, column, "integer 1..1073741824 or empty");
    return (uint32_t)value;
}

/* Samples of each GPU, also a part of one; 0 for an empty field. */
static double batch_cell(struct reader *reader) {
    struct slice field = csv_field(reader->csv, reader->columns[BATCH]);
    double value = 0;
    if (field.length > 0 &&
        (!numfmt_parse_real(field.at, field.length, &value) || !(value > 0 && value <= BATCH_MOST)))
        report_cell(reader, BATCH, "number > 0 and <= 1000000000 or empty");
    return value;
}

/* Thousandths of a GPU; 0 for an empty field. */
static uint32_t share_cell(struct reader *reader) {
    struct slice field = csv_field(reader->csv, reader->columns[GPU_SHARE]);
    double value = NAN;
    if (field.length == 0)
        return 0;
    bool number = numfmt_parse_real(field.at, field.length, &value) && value > 0 && value <= 1;
    uint32_t milli = number ? (uint32_t)lround(value * WHOLE_GPU_MILLI) : 0;
    if (milli == 0 || (double)milli / WHOLE_GPU_MILLI != value)
        report_cell(reader, GPU_SHARE, "multiple of 0.001 in 0.001..1 or empty");
    return milli;
}

/* A part is of one GPU, and of a job whose time on it is known. */
static void check_share(struct reader *reader, const struct trace_row *row) {
    if (row->gpu_milli == 0 || row->gpu_milli == WHOLE_GPU_MILLI)
        return;
    if (row->model)
        report_cell(reader, GPU_SHARE, "1 or empty for a job with a model");
    else if (row->gpus > 1)
        report_cell(reader, GPU_SHARE, "1 or empty unless gpus is 1");
}

static void read_job_row(void *context) {
    struct reader *r = context;
    size_t before = r->problems->count;
    struct trace_row row = trace_row_absent(csv_where(r->csv, -1).line);
    struct slice id = csv_field(r->csv, r->columns[ID]),
                 class = csv_field(r->csv, r->columns[CLASS]);
    intern_expect(&r->ids, id.at, id.length);
    double submit_s = real_cell(r, SUBMIT, 0, TIME_MAX_S, "seconds 0..4e9");
    row.user = trace_text(r->trace, csv_field(r->csv, r->columns[USER]));
    row.model = trace_text(r->trace, csv_field(r->csv, r->columns[MODEL]));
    row.gpu_type = trace_text(r->trace, csv_field(r->csv, r->columns[GPU_TYPE]));
    row.work_samples = real_cell(r, WORK, 0, 1e300, "samples >= 0 or empty");
    row.duration_s = real_cell(r, DURATION, 0, TIME_MAX_S, "seconds 0..4e9 or empty");
    row.requested_s = real_cell(r, REQUESTED, 0, TIME_MAX_S, "seconds 0..4e9 or empty");
    row.deadline_s = real_cell(r, DEADLINE, -TIME_MAX_S, TIME_MAX_S, "seconds -4e9..4e9 or empty");
    row.utilization = real_cell(r, UTILIZATION, 0, 1, "number 0..1 or empty");
    row.gpu_milli = share_cell(r);
    row.gpus = whole_cell(r, GPUS);
    row.batch = batch_cell(r);
    if (slice_is(class, "sla"))
        row.class = TRACE_CLASS_SLA;
    else if (slice_is(class, "best_effort"))
        row.class = TRACE_CLASS_BEST_EFFORT;
    else if (class.length > 0)
        report_cell(r, CLASS, "sla, best_effort or empty");
    bool is_new = true;
    uint32_t number = intern_ascending(&r->ids, id.at, id.length, &is_new);
    if (id.length == 0)
        report_cell(r, ID, "a job id");
    else if (!is_new)
        problems_add(r->problems, csv_where(r->csv, r->columns[ID]), "job_id",
                     "job \"%.*s\" is listed twice", (int)(id.length < 80 ? id.length : 80), id.at);
    if (csv_field(r->csv, r->columns[SUBMIT]).length == 0)
        report_cell(r, SUBMIT, "seconds 0..4e9");
    bool good = r->problems->count == before; /* else an empty field may be a bad one */
    if (good && !row.model && isnan(row.duration_s))
        problems_add(r->problems, csv_where(r->csv, -1), "duration_s",
                     "a job without a model needs duration_s");
    if (good && !row.model && row.gpus == 0)
        problems_add(r->problems, csv_where(r->csv, -1), "gpus",
                     "a job without a model needs gpus");
    if (good && row.model && isnan(row.work_samples) && isnan(row.duration_s))
        problems_add(r->problems, csv_where(r->csv, -1), "work_samples",
                     "a job with a model needs work_samples or duration_s");
    if (good && row.model && isnan(row.work_samples) && !isnan(row.duration_s) && row.gpus == 0)
        problems_add(r->problems, csv_where(r->csv, -1), "gpus",
                     "a job with duration_s but no work_samples needs gpus");
    if (good)
        check_share(r, &row);
    r->trace->rows_read++;
    if (r->problems->count > before)
        return;
    row.id = intern_text(&r->ids, number);
    row.submit_ns = units_ns(submit_s);
    row.labels = trace_labels_read(&r->labels, r->trace, r->csv);
    array_push(&r->trace->rows, row);
}

static int find_job_columns(struct reader *reader, const char *path) {
    size_t before = reader->problems->count;
    for (int c = 0; c < COLUMN_COUNT; c++)
        reader->columns[c] = csv_column(reader->csv, column_names[c]);
    for (size_t i = 0; i < csv_column_count(reader->csv); i++) {
        const char *name = csv_column_name(reader->csv, i);
        if (strncmp(name, "label.", 6) == 0) {
            array_push(&reader->labels.at, ((struct trace_label){.column = (int)i}));
            array_push(&reader->trace->label_names, arena_strdup(&reader->trace->arena, name + 6));
        } else {
            bool known = false;
            for (int c = 0; c < COLUMN_COUNT; c++)
                known |= strcmp(name, column_names[c]) == 0;
            if (known)
                continue;
            problems_add(reader->problems, (struct location){path, 1, 0}, NULL,
                         "unknown column \"%.80s\"%s%s; extra columns are named label.*", name,
                         str_suggestion(&reader->trace->arena, name, column_names, COLUMN_COUNT),
                         csv_list_text(column_names, COLUMN_COUNT, &reader->trace->arena));
        }
    }
    static const enum column required[] = {ID, SUBMIT};
    for (size_t i = 0; i < sizeof required / sizeof *required; i++)
        if (reader->columns[required[i]] < 0)
            problems_add(reader->problems, (struct location){path, 1, 0}, NULL,
                         "column \"%s\" is missing%s", column_names[required[i]],
                         csv_names_text(reader->csv, &reader->trace->arena));
    return reader->problems->count > before ? ERROR_INPUT : 0;
}

int trace_file_read(const char *path, const struct trace_options *options, struct trace *trace,
                    struct problems *problems) {
    (void)options;
    struct reader r = {.trace = trace, .problems = problems};
    struct error error = {0};
    size_t before = problems->count;
    if (csv_open(path, ',', &r.csv, &error) < 0)
        return problems_say(problems, "%s", error.text);
    if (find_job_columns(&r, path) == 0) {
        csv_each_row(r.csv, problems, read_job_row, &r);
        trace_labels_check(&r.labels, trace, problems);
        trace_sort(trace, false);
    }
    arena_adopt(&trace->arena, &r.ids.arena);
    intern_finish(&r.ids);
    free(r.labels.at.at);
    csv_close(r.csv);
    return problems->count > before ? ERROR_INPUT : 0;
}

const struct trace_reader *trace_file_find_reader(const struct trace_reader *const *foreign,
                                                  const char *name) {
    static const struct trace_reader own = {"workload", "easim's own workload CSV", trace_file_read,
                                            0};
    if (strcmp(own.name, name) == 0)
        return &own;
    for (; *foreign; foreign++)
        if (strcmp((*foreign)->name, name) == 0)
            return *foreign;
    return NULL;
}

/* --- writing --- */

static void write_job_row(const struct trace *trace, const struct trace_row *row,
                          struct trace_file_extra extra, struct str *out) {
    static const char *const classes[] = {NULL, "best_effort", "sla"};
    csv_add_text(out, row->id);
    str_add_char(out, ',');
    csv_add_ns(out, row->submit_ns);
    csv_comma_text(out, row->user);
    csv_comma_text(out, row->model);
    csv_comma_real(out, row->work_samples);
    csv_comma_real(out, row->duration_s);
    csv_comma_real(out, row->requested_s);
    csv_comma_count(out, row->gpus);
    csv_comma_positive(out, row->batch);
    csv_comma_text(out, row->gpu_type);
    csv_comma_real(out, row->deadline_s);
    csv_comma_text(out, classes[row->class]);
    if (extra.utilization)
        csv_comma_real(out, row->utilization);
    if (extra.gpu_share)
        csv_comma_real(out, row->gpu_milli > 0 ? (double)row->gpu_milli / WHOLE_GPU_MILLI : NAN);
    for (size_t i = 0; i < trace->label_names.count; i++)
        csv_comma_text(out, row->labels ? row->labels[i] : NULL);
    str_add_char(out, '\n');
}

static void write_header(const struct trace *trace, struct trace_file_extra extra,
                         struct str *out) {
    struct str name = {0};
    for (int c = 0; c < COLUMN_COUNT; c++)
        if (c < UTILIZATION || (c == UTILIZATION && extra.utilization) ||
            (c == GPU_SHARE && extra.gpu_share))
            str_addf(out, "%s%s", c ? "," : "", column_names[c]);
    for (size_t i = 0; i < trace->label_names.count; i++) {
        name.length = 0;
        str_add(&name, "label.");
        str_add(&name, trace->label_names.at[i]);
        csv_comma_text(out, name.text);
    }
    str_finish(&name);
    str_add_char(out, '\n');
}

static struct trace_file_extra find_extra(const struct trace *trace) {
    struct trace_file_extra extra = {0};
    for (size_t i = 0; i < trace->rows.count; i++) {
        extra.utilization |= !isnan(trace->rows.at[i].utilization);
        extra.gpu_share |= trace->rows.at[i].gpu_milli > 0;
    }
    return extra;
}

/* Until out has about so many bytes. */
static void write_piece(struct trace_file_pieces *pieces, size_t bytes, struct str *out) {
    const struct trace *trace = pieces->trace;
    if (!pieces->begun)
        write_header(trace, pieces->extra, out);
    pieces->begun = true;
    while (pieces->row < trace->rows.count && out->length < bytes)
        write_job_row(trace, &trace->rows.at[pieces->row++], pieces->extra, out);
}

void trace_file_write(const struct trace *trace, struct str *out) {
    struct trace_file_pieces pieces = trace_file_pieces(trace);
    write_piece(&pieces, SIZE_MAX, out);
}

struct trace_file_pieces trace_file_pieces(const struct trace *trace) {
    return (struct trace_file_pieces){.trace = trace, .extra = find_extra(trace)};
}

struct slice trace_file_next_piece(void *pieces) {
    struct trace_file_pieces *p = pieces;
    p->text.length = 0;
    write_piece(p, PIECE_BYTES, &p->text);
    return (struct slice){p->text.text, p->text.length};
}
