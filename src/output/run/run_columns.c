/* Cells that several tables of a run have: see run_columns.h. */
#include "output/run/run_columns.h"

#include <math.h>

void run_columns_begin_row(const struct replication *replication, struct str *out) {
    csv_add_text(out, replication->sim->module->policy->name);
    csv_comma_int(out, replication->number);
}

void run_columns_gpu_ps(struct str *out, int128 gpu_ps) {
    if (gpu_ps % 1000 == 0 && gpu_ps / 1000 < INT64_MAX)
        run_columns_ns(out, (int64_t)(gpu_ps / 1000));
    else
        csv_comma_real(out, power_gpu_s(gpu_ps));
}

void run_columns_limit(struct str *out, double limit) {
    csv_comma_real(out, isfinite(limit) ? limit : NAN);
}
