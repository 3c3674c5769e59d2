/* Cells that several tables of a run have: see run_columns.h. */
#include "output/run/run_columns.h"

#include "base/units.h"
#include "io/csv.h"

#include <math.h>

void run_columns_begin_row(const struct replication *replication, struct str *out) {
    csv_add_text(out, replication->sim->module->policy->name);
    csv_comma_int(out, replication->number);
}

void run_columns_ns(struct str *out, int64_t time_ns) {
    str_add_char(out, ',');
    if (time_ns >= 0 && time_ns != TIME_NONE_NS)
        str_add_ns(out, time_ns);
}

void run_columns_nw(struct str *out, int64_t power_nw) {
    run_columns_ns(out, power_nw); /* nanowatts print as watts as nanoseconds print as seconds */
}

void run_columns_milli(struct str *out, int64_t milli) {
    run_columns_ns(out, milli * (NS_PER_S / 1000));
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
