/* Rows of a CSV below one header. */
#include "ingest/records/records.h"

#include "io/lines.h"

#include <math.h>

#define LISTED_ROWS 16384 /* with all figures; the profile CSV has every row */

/* The next line with something on it. */
static int next_record_line(struct records *records, struct slice *line, struct error *reterr) {
    int got;
    do
        got = lines_next(records->lines, line, reterr);
    while (got > 0 && line->length == 0);
    return got;
}

int records_open(struct records *records, const char *path, struct error *reterr) {
    struct slice line;
    *records = (struct records){.path = path};
    int got = lines_open(path, &records->lines, reterr);
    if (got < 0)
        return got;
    got = next_record_line(records, &line, reterr);
    if (got < 0)
        return got;
    if (got == 0)
        return error_set(reterr, ERROR_INPUT, "%s: empty file, expected a header line", path);
    str_add_bytes(&records->header, line.at, line.length);
    line = (struct slice){records->header.text, records->header.length};
    records->name_count = telemetry_split(line, ',', records->names, RECORDS_MAX_CELLS);
    if (records->name_count > RECORDS_MAX_CELLS)
        return error_set(reterr, ERROR_INPUT, "%s:%u:1: expected at most %d columns, found %zu",
                         path, (unsigned)lines_number(records->lines), RECORDS_MAX_CELLS,
                         records->name_count);
    return 0;
}

int records_next(struct records *records, struct error *reterr) {
    struct slice line;
    int got = next_record_line(records, &line, reterr);
    if (got > 0)
        records->cell_count = telemetry_split(line, ',', records->cells, RECORDS_MAX_CELLS);
    return got;
}

int records_column(const struct records *records, const char *name) {
    for (size_t i = 0; i < records->name_count; i++)
        if (slice_is(records->names[i], name))
            return (int)i;
    return -1;
}

struct slice records_cell(const struct records *records, int column) {
    return column < 0 || !records_fits(records) ? (struct slice){0} : records->cells[column];
}

const char *records_text(struct records_job *job, const struct records *records, int column) {
    struct slice cell = records_cell(records, column);
    return cell.length > 0 ? arena_strndup(&job->profile->arena, cell.at, cell.length) : NULL;
}

double records_number(const struct records *records, int column, enum telemetry_unit unit,
                      bool *is_bad) {
    struct slice cell = records_cell(records, column);
    return cell.length > 0 ? telemetry_number(cell, unit, is_bad) : NAN;
}

double records_value(struct records *records, int column, enum telemetry_unit unit, bool *is_bad) {
    bool bad = false;
    double value = records_number(records, column, unit, &bad);
    if (column >= 0 && isnan(value) && !bad)
        records->missing[column]++;
    *is_bad = *is_bad || bad;
    return value;
}

bool records_fits(const struct records *records) {
    return records->cell_count == records->name_count;
}

uint32_t records_line(const struct records *records) {
    return lines_number(records->lines);
}

void records_close(struct records *records) {
    lines_close(records->lines);
    str_finish(&records->header);
    *records = (struct records){0};
}

/* ---- Files ---- */

static void refuse_row(struct records_job *job, const struct records *records, uint64_t *refused) {
    struct location where = {records->path, records_line(records), 0};
    job->profile->damaged = true;
    if (job->options->strict && *refused == 0)
        problems_add(job->problems, where, NULL,
                     "row that does not fit its header or cannot be read");
    if (!job->options->strict && *refused < 20)
        problems_add(&job->profile->notes, where, NULL,
                     "row left out: it does not fit its header or cannot be read");
    ++*refused;
}

int records_require(struct records_job *job, const struct records *records, const char *name) {
    int column = records_column(records, name);
    if (column < 0)
        problems_add(job->problems, (struct location){records->path, 1, 0}, NULL,
                     "column \"%s\" is missing", name);
    return column;
}

struct profile_row *records_add_row(struct records_job *job, const struct records *records,
                                    uint32_t line, double seconds, uint32_t gpus) {
    struct profile_row *row = profile_add_row(job->profile, job->options);
    if (row->gpus == 0)
        row->gpus = gpus;
    if (job->options->samples > 0)
        row->throughput_samples_s = job->options->samples / seconds;
    row->source = arena_printf(&job->profile->arena, "%s %s line %u", job->reader->name,
                               records->path, (unsigned)line);
    return row;
}

struct figure *records_add_figures(struct records_job *job) {
    if (job->listed < LISTED_ROWS) {
        job->listed++;
        return figures_group(job->list, NULL);
    }
    job->not_listed++;
    arena_reset(&job->spare_arena);
    return figures_create(&job->spare_arena);
}

void records_refuse_own(struct records_job *job, const struct records *records, const char *setting,
                        bool is_given) {
    if (is_given)
        problems_add_setting(job->problems, (struct location){records->path, 1, 0}, setting,
                             "the rows have their own");
}

void records_add_throughput(struct records_job *job, const struct profile_row *row) {
    struct figure *group = records_add_figures(job);
    figures_text(group, "model", row->model);
    figures_text(group, "gpu", row->gpu);
    figures_int(group, "k", row->gpus);
    figures_int(group, "nodes", row->run.nodes);
    figures_real(group, "batch_per_gpu", row->batch);
    figures_real(group, "throughput_samples_s", row->throughput_samples_s);
}

static void note_missing_cells(struct records_job *job, const struct records *records) {
    for (size_t i = 0; i < records->name_count; i++)
        if (records->missing[i] > 0)
            problems_add(&job->profile->notes, (struct location){records->path, 0, 0}, NULL,
                         "%llu values missing in column \"%.*s\"",
                         (unsigned long long)records->missing[i], (int)records->names[i].length,
                         records->names[i].at);
}

static void read_rows(struct records_job *job, struct records *records) {
    struct error error = {0};
    uint64_t refused = 0, rows = 0;
    int got;
    while ((got = records_next(records, &error)) != 0) {
        if (got > 0 && rows++ > 0 && !job->reader->records->is_whole &&
            lines_ended_partial(records->lines))
            problems_add(&job->profile->notes,
                         (struct location){records->path, records_line(records), 0}, NULL,
                         "last line without a line end left out");
        else if (got > 0 ? !job->reader->records->row(job, records) : got == ERROR_INPUT)
            refuse_row(job, records, &refused);
        if (got < 0 && got != ERROR_INPUT)
            break;
    }
    if (got < 0 && lines_is_damaged(records->lines) && !job->options->strict) {
        problems_say(&job->profile->notes, "%s, the rows before count", error.text);
        job->profile->damaged = true;
    } else if (got < 0) {
        problems_say(job->problems, "%s", error.text);
    }
    if (refused >= 20)
        problems_say(&job->profile->notes, "%s: %llu rows left out", records->path,
                     (unsigned long long)refused);
    note_missing_cells(job, records);
    if (job->reader->records->end)
        job->reader->records->end(job, records);
}

static int read_files(struct records_job *job, char *const *paths, size_t count) {
    const struct records_format *format = job->reader->records;
    size_t before = job->problems->count;
    job->profile->figures = figures_create(&job->profile->arena);
    job->list = figures_list(job->profile->figures, "rows");
    for (size_t i = 0; i < count; i++) {
        struct records records;
        struct error error = {0};
        if (records_open(&records, paths[i], &error) < 0)
            problems_say(job->problems, "%s", error.text);
        else if (format->begin(job, &records))
            read_rows(job, &records);
        records_close(&records);
    }
    if (format->conclude && job->problems->count == before)
        format->conclude(job);
    if (job->not_listed > 0)
        figures_int(job->profile->figures, "rows_not_listed", (int64_t)job->not_listed);
    arena_finish(&job->spare_arena);
    if (job->problems->count == before && job->profile->rows.count == 0)
        problems_say(job->problems, "%s: no measurement", paths[0]);
    return job->problems->count > before ? ERROR_INPUT : 0;
}

int records_read(const struct profile_reader *reader, char *const *paths, size_t count,
                 const struct profile_options *options, struct profile *profile,
                 struct problems *problems) {
    struct records_job job = {reader, options, profile, problems, .context = NULL};
    job.context = mem_zalloc(1, reader->records->context_size);
    int status = read_files(&job, paths, count);
    if (reader->records->finish)
        reader->records->finish(job.context);
    free(job.context);
    return status;
}
