/* users.csv: see run_tables.h. */
#include "output/run/run_tables.h"

#include "io/csv.h"
#include "output/run/run_columns.h"

/* clang-format off */
#define USERS_COLUMNS(X) \
    X(user, "", NEITHER, csv_comma_text(out, user->name)) \
    X(weight, "", NEITHER, csv_comma_real(out, user->weight)) \
    X(jobs, "", NEITHER, csv_comma_int(out, row->jobs)) \
    X(gpu_s, "GPU s", NEITHER, csv_comma_real(out, row->gpu_s)) \
    X(demand_gpu_s, "GPU s", NEITHER, csv_comma_real(out, row->demand_gpu_s)) \
    X(energy_kwh, "kWh", LESS, csv_comma_real(out, row->energy_kwh)) \
    X(jct_mean_s, "s", LESS, csv_comma_real(out, row->jct_mean_s)) \
    X(slowdown_mean, "", LESS, csv_comma_real(out, row->slowdown_mean))
/* clang-format on */

void users_csv_header(struct str *out) {
    str_add(out, RUN_HEADER(USERS_COLUMNS) "\n");
}

void users_csv_rows(const struct replication *replication, struct flow *flow) {
    for (size_t u = 0; u < replication->sim->workload->users.count; u++) {
        const struct workload_user *user = &replication->sim->workload->users.at[u];
        const struct user_row *row = &replication->metrics->users[u];
        struct str *out = flow_row(flow);
        run_columns_begin_row(replication, out);
        USERS_COLUMNS(RUN_COLUMN_CELL)
        str_add_char(out, '\n');
    }
}
