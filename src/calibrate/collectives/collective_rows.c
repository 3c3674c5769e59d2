/* Rows of measured collectives: see collective_laws.h. */
#include "calibrate/collectives/collective_laws.h"

#include "config/csv_reader.h"

#include <stdlib.h>

#define ELEMENT_BYTES 2

const char *const collective_names[] = {"all_reduce", "all_gather", "reduce_scatter",
                                        "alltoall",   "send_recv",  NULL};

struct cells {
    struct collective_row row;
    double median_ms;
    uint32_t per_node; /* 0: not stated */
};

#define NAMES "gpu and system"
#define SIZES "bytes and message_elements"

static const struct field collective_columns[] = {
    {"gpu", STRING(cells, row.gpu), EITHER(NAMES)},
    {"system", STRING(cells, row.gpu), EITHER(NAMES)},
    {"collective", CHOICE(cells, row.collective, collective_names), REQUIRED},
    {"gpus", COUNT(cells, row.gpus), REQUIRED, RANGE(2, 1e6)},
    {"bytes", REAL(cells, row.bytes), EITHER(SIZES), RANGE(1, 1e15)},
    {"message_elements", REAL(cells, row.bytes), EITHER(SIZES), RANGE(1, 1e15)},
    {"median_ms", REAL(cells, median_ms), REQUIRED, RANGE(1e-9, 1e9), HELP("milliseconds")},
    {"gpus_per_node", COUNT(cells, per_node), RANGE(1, 1e6)},
    FIELDS_END};

struct reader {
    struct csv_reader csv;
    struct collective_rows *rows;
    struct intern gpus; /* as they first appear */
};

static void read_collective_row(void *context) {
    struct reader *r = context;
    struct cells cells;
    if (!csv_reader_row(&r->csv, &cells))
        return;
    struct collective_row *row = &cells.row;
    row->line = csv_reader_line(&r->csv);
    row->bytes *= csv_reader_has(&r->csv, "message_elements") ? ELEMENT_BYTES : 1;
    row->time_s = cells.median_ms / 1e3;
    if (cells.per_node > 0 && cells.per_node < row->gpus) {
        r->rows->first_across = r->rows->across == 0 ? row->line : r->rows->first_across;
        r->rows->across++;
    } else
        array_push(&r->rows->rows, *row);
}

ORDER_BY(compare_collective_rows, struct collective_row,
         ASC(collective) ASC(gpus) ASC(bytes) ASC(line))

/* Rows of a GPU together, in order. */
static void sort_rows(struct reader *r) {
    ARRAY_OF(struct collective_row) sorted = {0};
    for (uint32_t g = 0; g < r->gpus.entries.count; g++) {
        size_t from = sorted.count;
        for (size_t i = 0; i < r->rows->rows.count; i++)
            if (r->rows->rows.at[i].gpu == intern_text(&r->gpus, g))
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
    struct reader r = {
        .csv = {.columns = collective_columns, .problems = binding->problems, .texts = &r.gpus},
        .rows = rows};
    int status = csv_reader_load(&r.csv, path, read_collective_row, &r);
    sort_rows(&r);
    arena_adopt(binding->arena, &r.gpus.arena);
    intern_finish(&r.gpus);
    return status;
}

void collective_rows_finish(struct collective_rows *rows) {
    free(rows->rows.at);
}
