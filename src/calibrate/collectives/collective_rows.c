/* Rows of measured collectives: see collective_laws.h. */
#include "calibrate/collectives/collective_laws.h"

#include "base/numfmt.h"
#include "io/csv.h"

#include <stdlib.h>

#define ELEMENT_BYTES 2
#define MOST_GPUS     1000000
#define MOST_BYTES    1e15
#define LEAST_MS      1e-9
#define MOST_MS       1e9

const char *const collective_names[COLLECTIVES] = {"all_reduce", "all_gather", "reduce_scatter",
                                                   "alltoall", "send_recv"};

enum column { GPU, SYSTEM, COLLECTIVE, GPUS, BYTES, ELEMENTS, MEDIAN, PER_NODE, COLUMN_COUNT };

static const char *const column_names[COLUMN_COUNT] = {
    "gpu",   "system",           "collective", "gpus",
    "bytes", "message_elements", "median_ms",  "gpus_per_node"};

struct reader {
    struct collective_rows *rows;
    const struct binding *binding;
    struct csv *csv;
    int columns[COLUMN_COUNT];
    ARRAY_OF(const char *) gpus; /* as they first appear */
};

static void refuse_cell(const struct reader *r, enum column column, const char *expected) {
    csv_refuse(r->csv, r->columns[column], column_names[column], expected, r->binding->problems);
}

/* NULL after a problem. */
static const char *gpu_cell(struct reader *r) {
    enum column column = r->columns[GPU] >= 0 ? GPU : SYSTEM;
    struct slice cell = csv_field(r->csv, r->columns[column]);
    if (cell.length == 0) {
        refuse_cell(r, column, "a name");
        return NULL;
    }
    for (size_t i = 0; i < r->gpus.count; i++)
        if (slice_is(cell, r->gpus.at[i]))
            return r->gpus.at[i];
    array_push(&r->gpus, arena_printf(r->binding->arena, "%.*s", (int)cell.length, cell.at));
    return r->gpus.at[r->gpus.count - 1];
}

/* COLLECTIVES after a problem. */
static enum collective collective_cell(const struct reader *r) {
    struct slice cell = csv_field(r->csv, r->columns[COLLECTIVE]);
    for (int c = 0; c < COLLECTIVES; c++)
        if (slice_is(cell, collective_names[c]))
            return (enum collective)c;
    refuse_cell(r, COLLECTIVE, "all_reduce, all_gather, reduce_scatter, alltoall or send_recv");
    return COLLECTIVES;
}

/* Whole; 0 after a problem. */
static uint32_t gpus_cell(const struct reader *r, enum column column, uint32_t least,
                          const char *expected) {
    struct slice cell = csv_field(r->csv, r->columns[column]);
    int64_t value = 0;
    if (numfmt_parse_int(cell.at, cell.length, &value) && value >= least && value <= MOST_GPUS)
        return (uint32_t)value;
    refuse_cell(r, column, expected);
    return 0;
}

/* 0 after a problem. */
static double real_cell(const struct reader *r, enum column column, double least, double most,
                        const char *expected) {
    struct slice cell = csv_field(r->csv, r->columns[column]);
    double value = 0;
    if (numfmt_parse_real(cell.at, cell.length, &value) && value >= least && value <= most)
        return value;
    refuse_cell(r, column, expected);
    return 0;
}

static void read_collective_row(void *context) {
    struct reader *r = context;
    struct collective_row row = {.line = csv_where(r->csv, -1).line};
    bool in_elements = r->columns[ELEMENTS] >= 0;
    row.gpu = gpu_cell(r);
    row.collective = collective_cell(r);
    row.gpus = gpus_cell(r, GPUS, 2, "a whole number from 2 to 1000000");
    row.bytes =
        real_cell(r, in_elements ? ELEMENTS : BYTES, 1, MOST_BYTES, "a number from 1 to 1e15") *
        (in_elements ? ELEMENT_BYTES : 1);
    row.time_s = real_cell(r, MEDIAN, LEAST_MS, MOST_MS, "milliseconds from 1e-9 to 1e9") / 1e3;
    uint32_t per_node = r->columns[PER_NODE] < 0
                            ? row.gpus
                            : gpus_cell(r, PER_NODE, 1, "a whole number from 1 to 1000000");
    if (!row.gpu || row.collective == COLLECTIVES || row.gpus == 0 || row.bytes == 0 ||
        row.time_s == 0 || per_node == 0)
        return;
    if (per_node < row.gpus) {
        r->rows->first_across = r->rows->across == 0 ? row.line : r->rows->first_across;
        r->rows->across++;
    } else
        array_push(&r->rows->rows, row);
}

/* One of two columns, not both; false after a problem. */
static bool find_either(const struct reader *r, enum column one, enum column other,
                        const char *path) {
    if ((r->columns[one] >= 0) != (r->columns[other] >= 0))
        return true;
    problems_add(r->binding->problems, (struct location){.file = path, .line = 1}, NULL,
                 "expected one of the columns %s and %s, got %s", column_names[one],
                 column_names[other], r->columns[one] >= 0 ? "both" : "none");
    return false;
}

static bool find_columns(struct reader *r, const char *path) {
    static const enum column needed[] = {COLLECTIVE, GPUS, MEDIAN};
    bool good = true;
    for (int c = 0; c < COLUMN_COUNT; c++)
        r->columns[c] = csv_column(r->csv, column_names[c]);
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        good &= csv_needed_column(r->csv, column_names[needed[i]], r->binding->problems) >= 0;
    good &= find_either(r, GPU, SYSTEM, path);
    good &= find_either(r, BYTES, ELEMENTS, path);
    return good;
}

ORDER_BY(compare_collective_rows, struct collective_row,
         ASC(collective) ASC(gpus) ASC(bytes) ASC(line))

/* Rows of a GPU together, in order. */
static void sort_rows(struct reader *r) {
    ARRAY_OF(struct collective_row) sorted = {0};
    for (size_t g = 0; g < r->gpus.count; g++) {
        size_t from = sorted.count;
        for (size_t i = 0; i < r->rows->rows.count; i++)
            if (r->rows->rows.at[i].gpu == r->gpus.at[g])
                array_push(&sorted, r->rows->rows.at[i]);
        sort_array(&sorted.at[from], sorted.count - from, compare_collective_rows);
    }
    free(r->rows->rows.at);
    r->rows->rows.at = sorted.at;
    r->rows->rows.count = sorted.count;
    r->rows->rows.capacity = sorted.capacity;
}

int collective_rows_load(struct collective_rows *rows, const char *path,
                         const struct binding *binding) {
    struct reader r = {.rows = rows, .binding = binding};
    struct error error = {0};
    size_t before = binding->problems->count;
    if (csv_open(path, ',', &r.csv, &error) < 0)
        return problems_say(binding->problems, "%s", error.text);
    if (find_columns(&r, path))
        csv_each_row(r.csv, binding->problems, read_collective_row, &r);
    csv_close(r.csv);
    sort_rows(&r);
    free(r.gpus.at);
    return binding->problems->count > before ? ERROR_INPUT : 0;
}

void collective_rows_finish(struct collective_rows *rows) {
    free(rows->rows.at);
}
