/* recorded.csv: see recorded_csv.h. */
#include "output/run/recorded_csv.h"

#include "output/run/run_columns.h"

/* clang-format off */
#define RECORDED_COLUMNS(X) \
    X(end_s, "s", NEITHER, run_columns_ns(out, sim->now_ns)) \
    X(jobs_submitted, "", NEITHER, csv_comma_int(out, sim->next_arrival)) \
    X(power_limits, "", NEITHER, csv_comma_int(out, sim->workload->table.extras.power_limits)) \
    X(gpu_shares, "", NEITHER, csv_comma_int(out, sim->workload->table.extras.shares)) \
    X(keeps_cap, "", NEITHER, csv_comma_int(out, keeps_cap(sim))) \
    X(segments, "", NEITHER, csv_comma_int(out, segment_rows(segments))) \
    X(gpu_rows, "", NEITHER, csv_comma_int(out, (int64_t)segments->tracker->rests.count)) \
    X(segments_bytes, "", NEITHER, csv_comma_int(out, (int64_t)bytes->segments)) \
    X(gpus_bytes, "", NEITHER, csv_comma_int(out, (int64_t)bytes->gpus)) \
    X(workload_bytes, "", NEITHER, csv_comma_int(out, (int64_t)bytes->workload)) \
    X(energy_j, "J", NEITHER, run_columns_energy(out, power_meter_energy(&sim->meter)))
/* clang-format on */

static int64_t segment_rows(const struct job_segments *segments) {
    return (int64_t)(segments->list.count + segments->replicas.list.count);
}

static bool keeps_cap(const struct sim *sim) {
    return (sim->module->policy->capabilities & EASIM_CAPABILITY_POWER_CAP) != 0;
}

void recorded_csv_header(struct str *out) {
    str_add(out, RUN_HEADER(RECORDED_COLUMNS) "\n");
}

void recorded_csv_row(const struct replication *replication, const struct recorded_bytes *bytes,
                      struct str *out) {
    const struct sim *sim = replication->sim;
    const struct job_segments *segments = replication->segments;
    run_columns_begin_row(replication, out);
    RECORDED_COLUMNS(RUN_COLUMN_CELL)
    str_add_char(out, '\n');
}
