/* meter.csv: see run_tables.h. */
#include "output/run/run_tables.h"

#include "output/run/run_columns.h"

/* clang-format off */
#define METER_COLUMNS(X) \
    X(time_s, "s", NEITHER, run_columns_ns(out, power_means_end_ns(means, i))) \
    X(power_w, "W", LESS, run_columns_nw(out, means->at_nw.at[i]))
/* clang-format on */

void meter_csv_header(struct str *out) {
    str_add(out, RUN_HEADER(METER_COLUMNS) "\n");
}

void meter_csv_rows(const struct replication *replication, struct flow *flow) {
    const struct power_means *means = replication->means;
    for (size_t i = 0; i < means->at_nw.count; i++) {
        struct str *out = flow_row(flow);
        run_columns_begin_row(replication, out);
        METER_COLUMNS(RUN_COLUMN_CELL)
        str_add_char(out, '\n');
    }
}
