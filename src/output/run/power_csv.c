/* power.csv: see power_csv.h. */
#include "output/run/power_csv.h"

#include "io/csv.h"
#include "output/run/run_columns.h"

/* clang-format off */
#define POWER_COLUMNS(X) \
    X(time_s, "s", NEITHER, run_columns_ns(out, row->time_ns)) \
    X(power_w, "W", LESS, run_columns_nw(out, row->power_nw)) \
    X(alloc_gpus, "GPUs", NEITHER, run_columns_milli(out, whole_milli(row->allocated) - shared_free)) \
    X(idle_gpus, "GPUs", NEITHER, run_columns_milli(out, whole_milli(row->idle) + shared_free)) \
    X(waiting, "", LESS, csv_comma_int(out, row->waiting)) \
    X(cap_w, "W", NEITHER, run_columns_limit(out, row->cap_w)) \
    X(failed_gpus, "GPUs", NEITHER, csv_comma_int(out, row->failed))
/* clang-format on */

static int64_t whole_milli(uint32_t gpus) {
    return (int64_t)gpus * WHOLE_GPU_MILLI;
}

void power_csv_header(struct str *out) {
    str_add(out, RUN_HEADER(POWER_COLUMNS) "\n");
}

void power_csv_rows(const struct replication *replication, struct str *out) {
    for (size_t i = 0; i < replication->metrics->power_rows.count; i++) {
        const struct power_row *row = &replication->metrics->power_rows.at[i];
        int64_t shared_free = (int64_t)row->shared_free_milli;
        run_columns_begin_row(replication, out);
        POWER_COLUMNS(RUN_COLUMN_CELL)
        str_add_char(out, '\n');
    }
}
