/* power.csv: see power_csv.h. */
#include "output/run/power_csv.h"

#include "metrics/job_record.h"
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

static void add_row(void *context, const struct sim *sim) {
    const struct power_csv *csv = context;
    const struct power_row now = power_row_of(sim), *row = &now;
    int64_t shared_free = (int64_t)row->shared_free_milli;
    struct str *out = flow_row(csv->flow);
    str_add_bytes(out, csv->begin.text, csv->begin.length);
    POWER_COLUMNS(RUN_COLUMN_CELL)
    str_add_char(out, '\n');
}

void power_csv_watch(struct power_csv *csv, const char *policy, uint32_t number,
                     struct flow *flow) {
    power_csv_finish(csv);
    run_columns_begin(policy, number, &csv->begin);
    csv->flow = flow;
    csv->observer = (struct observer){.context = csv, .instant = add_row};
}

void power_csv_finish(struct power_csv *csv) {
    str_finish(&csv->begin);
}
