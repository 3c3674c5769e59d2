/* The table of operations, row by row and then as a whole. Invariant: once it is checked, every
   operation has exactly one row for each data-parallel rank and step, so that cells take up no more
   memory than rows. */
#include "ingest/stragglers/operations.h"

#include "config/csv_reader.h"
#include "io/lines.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST_NUMBER 1000000 /* of ranks, stages, operations of a type, chunks, microbatches */

const char *const operation_type_names[] = {OPERATION_TYPES(NAME_OF), NULL};

struct row {
    struct operation operation;
    uint32_t dp_rank, rank, step, line;
    double start_s, duration_s, chunk, microbatch, model_chunk;
};

static const struct field row_fields[] = {
    {"dp_rank", COUNT(row, dp_rank), REQUIRED, RANGE(0, MOST_NUMBER)},
    {"stage", COUNT(row, operation.stage), REQUIRED, RANGE(0, MOST_NUMBER)},
    {"rank", COUNT(row, rank), REQUIRED, RANGE(0, UINT32_MAX)},
    {"step", COUNT(row, step), REQUIRED, RANGE(0, UINT32_MAX)},
    {"optype", CHOICE(row, operation.type, operation_type_names), REQUIRED},
    {"start_ts", REAL(row, start_s), REQUIRED, RANGE(-1e12, 1e12)},
    {"duration", REAL(row, duration_s), REQUIRED, RANGE(0, 1e9)},
    {"seq_id", COUNT(row, operation.seq), REQUIRED, RANGE(0, MOST_NUMBER)},
    {"mc", REAL(row, chunk), REQUIRED, RANGE(-1, MOST_NUMBER)},
    {"gmc", REAL(row, model_chunk), REQUIRED, RANGE(-1, MOST_NUMBER)},
    {"mb_id", REAL(row, microbatch), REQUIRED, RANGE(-1, MOST_NUMBER)},
    FIELDS_END};

struct reader {
    struct csv_reader csv;
    struct row row;
    ARRAY_OF(struct row) rows;
    struct operations *operations;
    const char *path;
    struct problems *problems;
    uint32_t *order; /* rows by operation */
};

ORDER_BY(by_operation, struct operation, ASC(stage) ASC(type) ASC(seq))

/* ---- Rows ---- */

static void read_row(void *context) {
    struct reader *r = context;
    if (!csv_reader_row(&r->csv, &r->row))
        return;
    if (r->row.chunk != floor(r->row.chunk))
        csv_reader_refuse(&r->csv, "mc", "a whole number");
    if (r->row.microbatch != floor(r->row.microbatch))
        csv_reader_refuse(&r->csv, "mb_id", "a whole number");
    r->row.line = csv_reader_line(&r->csv);
    array_push(&r->rows, r->row);
}

/* JSON where a table is expected is a trace of another kind, which another command reads. */
static int refuse_json(const struct reader *reader) {
    struct lines *lines;
    struct slice line = {0};
    if (strcmp(reader->path, "-") == 0 || lines_open(reader->path, &lines, NULL) < 0)
        return 0;
    int r = 0, got;
    do
        got = lines_next(lines, &line, NULL);
    while (got > 0 && line.length == 0);
    if (got > 0 && slice_begins(line, "{\"time_ns\""))
        r = problems_say(reader->problems,
                         "%s: expected a table of operations, got the trace of a simulated run: "
                         "`easim explain` and `easim timeline` read recorded runs",
                         reader->path);
    else if (got > 0 && (slice_begins(line, "{") || slice_begins(line, "[")))
        r = problems_say(reader->problems,
                         "%s: expected a table of operations, got JSON: `easim profile kineto` "
                         "reads traces of the PyTorch profiler",
                         reader->path);
    lines_close(lines);
    return r;
}

/* ---- The whole table ---- */

struct operation_name operation_name(const struct operation *operation) {
    struct operation_name name;
    snprintf(name.text, sizeof name.text, "%s %u of stage %u",
             operation_type_names[operation->type], operation->seq, operation->stage);
    return name;
}

size_t operations_find(const struct operations *operations, uint32_t stage, uint32_t type,
                       uint32_t seq) {
    const struct operation key = {stage, type, seq};
    size_t low = 0;
    SEARCH(low, operations->all.count, by_operation(&operations->all.at[at], &key) < 0)
    return low < operations->all.count && by_operation(&operations->all.at[low], &key) == 0
               ? low
               : SIZE_MAX;
}

static size_t step_place(const struct operations *operations, uint32_t step) {
    size_t low = 0;
    SEARCH(low, operations->steps.count, operations->steps.at[at] < step)
    return low;
}

static size_t lane_of(const struct operations *operations, const struct row *row) {
    return (size_t)row->dp_rank * operations->steps.count + step_place(operations, row->step);
}

/* Numbers 0, 1, ... of the ranks or stages that the rows have; 0 after a problem. */
static uint32_t count_numbers(struct reader *reader, const char *what, size_t offset) {
    uint32_t most = 0;
    bool *seen = mem_zalloc(MOST_NUMBER + 1, sizeof *seen);
    for (size_t i = 0; i < reader->rows.count; i++) {
        uint32_t number = *(const uint32_t *)((const char *)&reader->rows.at[i] + offset);
        most = number > most ? number : most;
        seen[number] = true;
    }
    uint32_t absent = 0;
    while (absent <= most && seen[absent])
        absent++;
    free(seen);
    if (absent > most)
        return most + 1;
    problems_say(reader->problems, "%s: expected all %ss from 0 to %u, got no operation of %s %u",
                 reader->path, what, most, what, absent);
    return 0;
}

/* The operations that any rank has in any step, and the rows by them. */
static void find_operations(struct reader *reader, size_t **ret_first) {
    struct intern keys = {0};
    struct operations *o = reader->operations;
    size_t count = reader->rows.count;
    uint32_t *number_of = mem_alloc(count * sizeof *number_of);
    for (size_t i = 0; i < count; i++)
        number_of[i] = intern(&keys, &reader->rows.at[i].operation, sizeof(struct operation), NULL);
    for (size_t i = 0; i < keys.entries.count; i++)
        array_push(&o->all, *(const struct operation *)keys.entries.at[i].key);
    sort_array(o->all.at, o->all.count, by_operation);
    size_t *first = mem_zalloc(o->all.count + 2, sizeof *first);
    uint32_t *place = mem_alloc(o->all.count * sizeof *place);
    for (size_t i = 0; i < o->all.count; i++)
        place[intern_find(&keys, &o->all.at[i], sizeof o->all.at[i])] = (uint32_t)i;
    for (size_t i = 0; i < count; i++)
        first[place[number_of[i]] + 2]++;
    for (size_t i = 2; i < o->all.count + 2; i++)
        first[i] += first[i - 1];
    for (size_t i = 0; i < count; i++)
        reader->order[first[place[number_of[i]] + 1]++] = (uint32_t)i;
    free(number_of);
    free(place);
    intern_finish(&keys);
    *ret_first = first;
}

static void find_steps(struct reader *reader) {
    struct intern keys = {0};
    for (size_t i = 0; i < reader->rows.count; i++) {
        uint32_t step = reader->rows.at[i].step;
        bool is_new = i == 0 || step != reader->rows.at[i - 1].step;
        if (is_new)
            intern(&keys, &step, sizeof step, &is_new);
        if (is_new)
            array_push(&reader->operations->steps, step);
    }
    sort_array(reader->operations->steps.at, reader->operations->steps.count, by_uint32);
    intern_finish(&keys);
}

/* Whole ranks that a step lacks, each once, rather than each of their operations. */
static void check_lanes(struct reader *reader) {
    const struct operations *o = reader->operations;
    bool *seen = mem_zalloc(o->lanes, sizeof *seen);
    for (size_t i = 0; i < reader->rows.count; i++)
        seen[lane_of(o, &reader->rows.at[i])] = true;
    for (size_t lane = 0; lane < o->lanes; lane++)
        if (!seen[lane])
            problems_say(reader->problems, "%s: step %u: dp rank %zu has no operations",
                         reader->path, o->steps.at[lane % o->steps.count], lane / o->steps.count);
    free(seen);
}

/* One operation: a row for each rank and step. */
static void check_operation(struct reader *reader, size_t operation, const uint32_t *rows,
                            size_t count, uint32_t *line_of) {
    const struct operations *o = reader->operations;
    const struct operation_name name = operation_name(&o->all.at[operation]);
    size_t lanes = 0;
    memset(line_of, 0, o->lanes * sizeof *line_of);
    for (size_t i = 0; i < count; i++) {
        const struct row *row = &reader->rows.at[rows[i]];
        uint32_t *line = &line_of[lane_of(o, row)];
        if (*line > 0)
            problems_add(reader->problems, (struct location){reader->path, row->line, 0}, NULL,
                         "expected %s once, got it for dp rank %u in step %u in line %u, too",
                         name.text, row->dp_rank, row->step, *line);
        lanes += *line == 0;
        *line = row->line;
    }
    size_t absent = 0;
    while (absent < o->lanes && line_of[absent] > 0)
        absent++;
    if (absent < o->lanes)
        problems_say(reader->problems,
                     "%s: expected the same operations of each dp rank in each step, got %s in %zu "
                     "of %zu: dp rank %zu lacks it in step %u",
                     reader->path, name.text, lanes, o->lanes, absent / o->steps.count,
                     o->steps.at[absent % o->steps.count]);
    const struct operation *at = &o->all.at[operation];
    if (at->seq > 0 && operations_find(o, at->stage, at->type, at->seq - 1) == SIZE_MAX)
        problems_say(reader->problems,
                     "%s: expected seq_id 0, 1, ... without a gap, got %s but not %u", reader->path,
                     name.text, at->seq - 1);
}

/* Numbers of the workers: one each. */
static void check_ranks(struct reader *reader) {
    struct operations *o = reader->operations;
    size_t workers = (size_t)o->stage_count * o->dp_count;
    struct intern numbers = {0};
    uint32_t *line_of = mem_zalloc(workers, sizeof *line_of);
    o->ranks = mem_zalloc(workers, sizeof *o->ranks);
    for (size_t i = 0; i < reader->rows.count; i++) {
        const struct row *row = &reader->rows.at[i];
        size_t worker = (size_t)row->operation.stage * o->dp_count + row->dp_rank;
        bool is_new = true;
        if (line_of[worker] == 0)
            intern(&numbers, &row->rank, sizeof row->rank, &is_new);
        if (!is_new || (line_of[worker] > 0 && o->ranks[worker] != row->rank))
            problems_add(reader->problems, (struct location){reader->path, row->line, 0}, "rank",
                         "expected one number for each dp rank and stage, got %u for dp rank %u, "
                         "stage %u",
                         row->rank, row->dp_rank, row->operation.stage);
        if (line_of[worker] == 0) {
            line_of[worker] = row->line;
            o->ranks[worker] = row->rank;
        }
    }
    intern_finish(&numbers);
    free(line_of);
}

static void fill_cells(struct reader *reader, const size_t *first) {
    struct operations *o = reader->operations;
    o->cells = mem_alloc(o->all.count * o->lanes * sizeof *o->cells);
    for (size_t i = 0; i < o->all.count; i++)
        for (size_t k = first[i]; k < first[i + 1]; k++) {
            const struct row *row = &reader->rows.at[reader->order[k]];
            o->cells[i * o->lanes + lane_of(o, row)] = (struct operation_cell){
                row->start_s, row->duration_s, (int32_t)row->chunk, (int32_t)row->microbatch};
        }
}

static int check_table(struct reader *reader) {
    struct operations *o = reader->operations;
    size_t before = reader->problems->count, rows = reader->rows.count, *first = NULL;
    o->dp_count = count_numbers(reader, "dp rank", offsetof(struct row, dp_rank));
    o->stage_count = count_numbers(reader, "stage", offsetof(struct row, operation.stage));
    if (o->dp_count == 0 || o->stage_count == 0)
        return ERROR_INPUT;
    find_steps(reader);
    o->lanes = (size_t)o->dp_count * o->steps.count;
    if (o->lanes > rows || (size_t)o->stage_count * o->dp_count > rows)
        return problems_say(reader->problems,
                            "%s: expected operations of each of %u dp ranks and %u stages in each "
                            "of %zu steps, got only %zu rows",
                            reader->path, o->dp_count, o->stage_count, o->steps.count, rows);
    check_lanes(reader);
    if (reader->problems->count > before)
        return ERROR_INPUT;
    check_ranks(reader);
    reader->order = mem_alloc(rows * sizeof *reader->order);
    find_operations(reader, &first);
    uint32_t *line_of = mem_alloc(o->lanes * sizeof *line_of);
    for (size_t i = 0; i < o->all.count; i++)
        check_operation(reader, i, reader->order + first[i], first[i + 1] - first[i], line_of);
    for (uint32_t s = 0; s < o->stage_count; s++)
        if (operations_find(o, s, OPTIMIZER, 0) == SIZE_MAX)
            problems_say(reader->problems,
                         "%s: expected an optimizer in each stage, got none in %u", reader->path,
                         s);
    free(line_of);
    if (reader->problems->count == before)
        fill_cells(reader, first);
    free(first);
    return reader->problems->count > before ? ERROR_INPUT : 0;
}

int operations_load(struct operations *operations, const char *path, struct problems *problems) {
    struct reader r = {.csv = {.columns = row_fields, .problems = problems, READ_INTO(r.row)},
                       .operations = operations,
                       .path = path,
                       .problems = problems};
    int status = refuse_json(&r);
    if (status == 0)
        status = csv_reader_load(&r.csv, path, read_row, &r);
    if (status == 0 && r.rows.count == 0)
        status = problems_say(problems, "%s: expected operations, got no rows", path);
    if (status == 0)
        status = check_table(&r);
    free(r.rows.at);
    free(r.order);
    return status;
}

void operations_finish(struct operations *operations) {
    free(operations->all.at);
    free(operations->steps.at);
    free(operations->cells);
    free(operations->ranks);
    *operations = (struct operations){0};
}
