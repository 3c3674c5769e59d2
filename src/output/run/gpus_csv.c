/* gpus.csv: see run_tables.h. */
#include "output/run/run_tables.h"

#include "output/run/run_columns.h"

/* clang-format off */
#define GPUS_COLUMNS(X) \
    X(node, "", NEITHER, csv_comma_int(out, rest->node)) \
    X(gpu, "", NEITHER, add_gpus(rest, out)) \
    X(state, "", NEITHER, run_columns_word(out, recorded_state_names[rest->state])) \
    X(start_s, "s", NEITHER, run_columns_ns(out, rest->start_ns)) \
    X(end_s, "s", NEITHER, run_columns_ns(out, rest->end_ns))
/* clang-format on */

static void add_gpus(const struct recorded_rest *rest, struct str *out) {
    str_add_char(out, ',');
    run_columns_gpus(out, rest->first, rest->count);
}

void gpus_csv_header(struct str *out) {
    str_add(out, RUN_HEADER(GPUS_COLUMNS) "\n");
}

void gpus_csv_rows(const struct replication *replication, struct flow *flow) {
    const struct gpu_tracker *tracker = replication->segments->tracker;
    struct str begin = {0};
    run_columns_begin_row(replication, &begin);
    for (size_t i = 0; i < tracker->rests.count; i++) {
        const struct recorded_rest *rest = &tracker->rests.at[i];
        struct str *out = flow_row(flow);
        str_add_bytes(out, begin.text, begin.length);
        GPUS_COLUMNS(RUN_COLUMN_CELL)
        str_add_char(out, '\n');
    }
    str_finish(&begin);
}
