/* Reading and writing of the workload CSV. */
#include "workload/trace_file.h"

#include "base/numfmt.h"
#include "base/units.h"
#include "config/csv_reader.h"
#include "model/laws.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* --- trace_labels --- */

#define ROWS_OF_LABELS 64 /* whose texts are one piece of memory */

static void look_at(struct trace_label *label, const struct csv *csv, struct slice cell) {
    if (label->infinite.line > 0 || !numfmt_is_infinite(cell.at, cell.length))
        return;
    label->infinite = csv_where(csv, label->column);
    snprintf(label->infinite_text, sizeof label->infinite_text, "%.*s",
             (int)(cell.length < 23 ? cell.length : 23), cell.at);
}

/* Whether some cell of the column is no number at all. */
static bool has_text(const struct trace *trace, size_t label) {
    double value;
    for (size_t i = 0; i < trace->rows.count; i++) {
        const char *cell = trace->rows.at[i].labels[label];
        if (cell && !numfmt_parse_real(cell, strlen(cell), &value) &&
            !numfmt_is_infinite(cell, strlen(cell)))
            return true;
    }
    return false;
}

const char *const *trace_labels_read(struct trace_labels *labels, struct trace *trace,
                                     const struct csv *csv) {
    if (labels->at.count == 0)
        return NULL;
    if (labels->rows_left == 0) {
        labels->rows_left = ROWS_OF_LABELS;
        labels->texts = arena_alloc(&trace->arena,
                                    labels->rows_left * labels->at.count * sizeof *labels->texts);
    }
    const char **texts = labels->texts;
    labels->texts += labels->at.count;
    labels->rows_left--;
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
        if (label->infinite.line > 0 && !has_text(trace, i))
            problems_add(
                problems, label->infinite, trace->label_names.at[i],
                "expected a finite number or empty, as in the rest of the column, got \"%s\"",
                label->infinite_text);
    }
}

/* --- trace_file --- */

#define PIECE_BYTES ((size_t)256 << 10) /* and the rest of a row */
#define ROW_BYTES   ((size_t)1024)      /* of the numbers of a row, and of texts that are short */

struct cells {
    struct trace_row row;
    double submit_s, gpu_share;
};

static const char *const classes[] = {"", "best_effort", "sla", NULL}; /* by enum trace_class */

#define SECONDS(least) RANGE(least, TIME_MAX_S), HELP("seconds")

/* The column that is read apart, and the last ones, which not every file has. */
enum { ID = 0, UTILIZATION = 12, GPU_SHARE = 13, FLEX = 14 };

static const struct field job_columns[] = {
    {"job_id", CELL, REQUIRED, HELP("a job id")},
    {"submit_s", REAL(cells, submit_s), REQUIRED, SECONDS(0)},
    {"user", STRING(cells, row.user)},
    {"model", STRING(cells, row.model)},
    {"work_samples", REAL(cells, row.work_samples), RANGE(0, 1e300), DEFAULT(NAN), HELP("samples")},
    {"duration_s", REAL(cells, row.duration_s), SECONDS(0), DEFAULT(NAN)},
    {"requested_s", REAL(cells, row.requested_s), SECONDS(0), DEFAULT(NAN)},
    {"gpus", COUNT(cells, row.gpus), RANGE(1, 1 << 30)},
    {"batch", REAL(cells, row.batch), ABOVE(0, BATCH_MOST)},
    {"gpu_type", STRING(cells, row.gpu_type)},
    {"deadline_s", REAL(cells, row.deadline_s), SECONDS(-TIME_MAX_S), DEFAULT(NAN)},
    {"class", CHOICE(cells, row.class, classes)},
    {"utilization", REAL(cells, row.utilization), RANGE(0, 1), DEFAULT(NAN)},
    {"gpu_share", REAL(cells, gpu_share), RANGE(0.001, 1), HELP("multiple of 0.001 in")},
    {"flex", REAL(cells, row.flex), BELOW(0, 1), DEFAULT(NAN)},
    FIELDS_END};

struct reader {
    struct csv_reader csv;
    struct trace *trace;
    struct trace_labels labels;
    struct intern ids;
    struct cells cells; /* of the current row */
};

/* Thousandths of a GPU; a part is of one GPU, and of a job whose time on it is known. */
static void read_share(struct reader *reader, const struct cells *cells, struct trace_row *row) {
    row->gpu_milli = (uint32_t)lround(cells->gpu_share * WHOLE_GPU_MILLI);
    if ((double)row->gpu_milli / WHOLE_GPU_MILLI != cells->gpu_share)
        csv_reader_refuse(&reader->csv, "gpu_share", "multiple of 0.001 in 0.001..1 or empty");
    else if (row->gpu_milli > 0 && row->gpu_milli < WHOLE_GPU_MILLI && row->model)
        csv_reader_refuse(&reader->csv, "gpu_share", "1 or empty for a job with a model");
    else if (row->gpu_milli > 0 && row->gpu_milli < WHOLE_GPU_MILLI && row->gpus > 1)
        csv_reader_refuse(&reader->csv, "gpu_share", "1 or empty unless gpus is 1");
}

/* What the job lacks, in the column of that name. */
static __attribute__((noinline)) void check_needs(struct reader *reader,
                                                  const struct trace_row *row) {
    const struct {
        bool missing;
        const char *column, *text;
    } needs[] = {
        {!row->model && isnan(row->duration_s), "duration_s",
         "a job without a model needs duration_s"},
        {!row->model && row->gpus == 0, "gpus", "a job without a model needs gpus"},
        {row->model && isnan(row->work_samples) && isnan(row->duration_s), "work_samples",
         "a job with a model needs work_samples or duration_s"},
        {row->model && isnan(row->work_samples) && !isnan(row->duration_s) && row->gpus == 0,
         "gpus", "a job with duration_s but no work_samples needs gpus"},
    };
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
        if (needs[i].missing)
            problems_add(reader->csv.problems, csv_where(reader->csv.csv, -1), needs[i].column,
                         "%s", needs[i].text);
}

static void read_job_row(void *context) {
    struct reader *r = context;
    size_t before = r->csv.problems->count;
    struct cells *cells = &r->cells;
    struct trace_row *row = &cells->row;
    struct slice id = csv_field(r->csv.csv, r->csv.at[ID]);
    intern_expect(&r->ids, id.at, id.length);
    bool good = csv_reader_row(&r->csv, cells), is_new = true;
    row->line = csv_reader_line(&r->csv);
    uint32_t number = intern_ascending(&r->ids, id.at, id.length, &is_new);
    if (id.length > 0 && !is_new)
        problems_add(r->csv.problems, csv_reader_where(&r->csv, "job_id"), "job_id",
                     "job \"%.*s\" is listed twice", (int)(id.length < 80 ? id.length : 80), id.at);
    /* Of a row with a bad field it may be an empty one. */
    if (good && is_new &&
        (isnan(row->model ? row->work_samples : row->duration_s) || row->gpus == 0))
        check_needs(r, row);
    if (good && is_new && cells->gpu_share > 0)
        read_share(r, cells, row);
    r->trace->rows_read++;
    if (r->csv.problems->count > before)
        return;
    row->id = intern_text(&r->ids, number);
    row->submit_ns = units_ns(cells->submit_s);
    if (r->labels.at.count > 0)
        row->labels = trace_labels_read(&r->labels, r->trace, r->csv.csv);
    trace_add(r->trace, row);
}

static void find_labels(struct reader *reader) {
    for (size_t i = 0; i < csv_column_count(reader->csv.csv); i++) {
        const char *name = csv_column_name(reader->csv.csv, i);
        if (strncmp(name, "label.", 6) != 0)
            continue;
        array_push(&reader->labels.at, ((struct trace_label){.column = (int)i}));
        array_push(&reader->trace->label_names, arena_strdup(&reader->trace->arena, name + 6));
    }
}

int trace_file_read(const char *path, const struct trace_options *options, struct trace *trace,
                    struct problems *problems) {
    (void)options;
    struct reader r = {.trace = trace};
    size_t before = problems->count;
    r.csv = (struct csv_reader){.columns = job_columns,
                                .closed = true,
                                .problems = problems,
                                .texts = &trace->texts,
                                READ_INTO(r.cells)};
    if (csv_reader_open(&r.csv, path) == 0) {
        find_labels(&r);
        csv_each_row(r.csv.csv, problems, read_job_row, &r);
        trace_labels_check(&r.labels, trace, problems);
        trace_sort(trace, false);
    }
    arena_adopt(&trace->arena, &r.ids.arena);
    intern_finish(&r.ids);
    free(r.labels.at.at);
    csv_reader_close(&r.csv);
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

/* Room for a row, its long texts and labels apart, behind what has been put. */
static char *make_room(struct str *out, const char *to) {
    out->length = (size_t)(to - out->text);
    return str_reserve(out, ROW_BYTES);
}

static __attribute__((noinline)) char *put_any_text(char *to, const char *text, struct str *out) {
    make_room(out, to);
    csv_add_text(out, text);
    return str_reserve(out, ROW_BYTES);
}

static inline char *put_text(char *to, const char *text, struct str *out) {
    char *end = text ? csv_put_plain(to, text) : to;
    return end ? end : put_any_text(to, text, out);
}

static char *comma_text(char *to, const char *text, struct str *out) {
    *to = ',';
    return put_text(to + 1, text, out);
}

static char *comma_real(char *to, double value) {
    *to = ',';
    return isfinite(value) ? csv_put_real(to + 1, value) : to + 1;
}

static void write_job_row(const struct trace *trace, const struct trace_row *row,
                          struct trace_file_extra extra, struct str *out) {
    char *to = put_text(str_reserve(out, ROW_BYTES), row->id, out);
    *to++ = ',';
    to = csv_put_ns(to, row->submit_ns);
    to = comma_text(to, row->user, out);
    to = comma_text(to, row->model, out);
    to = comma_real(to, row->work_samples);
    to = comma_real(to, row->duration_s);
    to = comma_real(to, row->requested_s);
    *to++ = ',';
    if (row->gpus > 0)
        to += numfmt_int(to, row->gpus);
    to = comma_real(to, row->batch > 0 ? row->batch : NAN);
    to = comma_text(to, row->gpu_type, out);
    to = comma_real(to, row->deadline_s);
    to = comma_text(to, classes[row->class], out);
    if (extra.utilization)
        to = comma_real(to, row->utilization);
    if (extra.gpu_share)
        to = comma_real(to, row->gpu_milli > 0 ? (double)row->gpu_milli / WHOLE_GPU_MILLI : NAN);
    if (extra.flex)
        to = comma_real(to, row->flex);
    for (size_t i = 0; i < trace->label_names.count; i++)
        to = comma_text(make_room(out, to), row->labels ? row->labels[i] : NULL, out);
    memcpy(to, "\n", 2);
    out->length = (size_t)(to + 1 - out->text);
}

static void write_header(const struct trace *trace, struct trace_file_extra extra,
                         struct str *out) {
    struct str name = {0};
    for (int c = 0; job_columns[c].key; c++)
        if (c < UTILIZATION || (c == UTILIZATION && extra.utilization) ||
            (c == GPU_SHARE && extra.gpu_share) || (c == FLEX && extra.flex))
            str_addf(out, "%s%s", c ? "," : "", job_columns[c].key);
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
        extra.flex |= !isnan(trace->rows.at[i].flex);
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
