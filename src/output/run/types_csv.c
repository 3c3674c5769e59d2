/* types.csv: see run_tables.h. */
#include "output/run/run_tables.h"

#include "io/csv.h"
#include "output/run/run_columns.h"

/* clang-format off */
#define TYPES_COLUMNS(X) \
    X(gpu_type, "", NEITHER, csv_comma_text(out, type->name)) \
    X(gpus, "GPUs", NEITHER, csv_comma_int(out, type->gpus)) \
    X(alloc_gpu_h, "GPU h", NEITHER, csv_comma_real(out, row->alloc_gpu_h)) \
    X(compute_gpu_h, "GPU h", NEITHER, csv_comma_real(out, row->compute_gpu_h)) \
    X(energy_kwh, "kWh", LESS, csv_comma_real(out, row->energy_kwh)) \
    X(jobs, "", NEITHER, csv_comma_int(out, row->jobs))
/* clang-format on */

void types_csv_header(struct str *out) {
    str_add(out, RUN_HEADER(TYPES_COLUMNS) "\n");
}

void types_csv_rows(const struct replication *replication, struct flow *flow) {
    const struct cluster *cluster = replication->sim->cluster;
    for (uint32_t h = 0; h < cluster->gpu_type_count; h++) {
        const struct gpu_type *type = &cluster->gpu_types[h];
        const struct type_row *row = &replication->metrics->types[h];
        struct str *out = flow_row(flow);
        run_columns_begin_row(replication, out);
        TYPES_COLUMNS(RUN_COLUMN_CELL)
        str_add_char(out, '\n');
    }
}
