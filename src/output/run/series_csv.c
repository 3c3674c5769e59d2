/* series.csv: see run_tables.h. */
#include "output/run/run_tables.h"

#include "base/units.h"
#include "output/run/run_columns.h"

#include <math.h>

/* The constant of each, of which only those without a series are used. */
static void add_row(const struct study *study, const struct series_cursor *cursors,
                    const double *constants, int64_t time_ns, struct str *out) {
    const struct series *list[STUDY_SERIES];
    study_list_series(study, list);
    str_add_ns(out, time_ns);
    for (int i = 0; i < STUDY_SERIES; i++)
        run_columns_limit(out, list[i]->kind ? cursors[i].value : constants[i]);
    str_add_char(out, '\n');
}

/* The next change of any, which they pass; TIME_NONE_NS: none. */
static int64_t pass_next(struct series_cursor *cursors, const struct series *const *list) {
    int64_t next_ns = TIME_NONE_NS;
    for (int i = 0; i < STUDY_SERIES; i++)
        if (list[i]->kind && series_next_ns(&cursors[i]) < next_ns)
            next_ns = series_next_ns(&cursors[i]);
    for (int i = 0; i < STUDY_SERIES && next_ns != TIME_NONE_NS; i++)
        while (list[i]->kind && series_next_ns(&cursors[i]) == next_ns)
            series_pass(&cursors[i]);
    return next_ns;
}

void series_csv(const struct study *study, int64_t end_ns, struct str *out) {
    const struct series *list[STUDY_SERIES];
    struct series_cursor cursors[STUDY_SERIES] = {{0}};
    const double constants[STUDY_SERIES] = {study->cluster.power_cap_w,
                                            study->scenario.prices.price_per_mwh,
                                            study->scenario.prices.carbon_g_per_kwh};
    study_list_series(study, list);
    for (int i = 0; i < STUDY_SERIES; i++)
        if (list[i]->kind)
            series_start(&cursors[i], list[i]);
    str_add(out, "time_s,cap_w,price_per_mwh,carbon_g_per_kwh\n");
    for (int64_t time_ns = 0; time_ns <= end_ns && time_ns != TIME_NONE_NS;
         time_ns = pass_next(cursors, list))
        add_row(study, cursors, constants, time_ns, out);
}
