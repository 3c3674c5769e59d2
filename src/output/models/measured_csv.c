/* measured.csv: see survey_tables.h. */
#include "output/models/survey_tables.h"

#include "output/models/survey_columns.h"

/* clang-format off */
#define MEASURED_COLUMNS(X) \
    X(model, "", NEITHER, csv_add_text(out, row->model->name)) \
    X(gpu_type, "", NEITHER, csv_comma_text(out, row->type->name)) \
    X(k, "GPUs", NEITHER, csv_comma_int(out, row->k)) \
    X(b, "samples", NEITHER, csv_comma_real(out, row->batch)) \
    X(span, "", NEITHER, csv_comma_text(out, survey_columns_span(row))) \
    X(power_limit_w, "W", NEITHER, csv_comma_real(out, row->power_limit_w)) \
    X(source, "", NEITHER, csv_comma_text(out, point->source)) \
    X(evidence, "", NEITHER, csv_comma_text(out, evidence_names[point->evidence])) \
    X(rate_per_s, "1/s", MORE, csv_comma_real(out, row->rate)) \
    X(rate_modelled_per_s, "1/s", MORE, csv_comma_real(out, point->modelled.rate)) \
    X(power_w, "W", LESS, csv_comma_real(out, row->power_w)) \
    X(power_modelled_w, "W", LESS, csv_comma_real(out, point->modelled.power_w)) \
    X(energy_per_unit_j, "J", LESS, csv_comma_real(out, row->energy_j)) \
    X(energy_modelled_per_unit_j, "J", LESS, csv_comma_real(out, point->modelled.energy_j)) \
    X(unit, "", NEITHER, csv_comma_text(out, survey_columns_unit(row)))
/* clang-format on */

void measured_csv(const struct survey *survey, struct str *out) {
    str_add(out, survey->points.count > 0 ? SURVEY_HEADER(MEASURED_COLUMNS) : "");
    for (size_t i = 0; i < survey->points.count; i++) {
        const struct survey_point *point = &survey->points.at[i];
        const struct survey_row *row = &point->measured;
        MEASURED_COLUMNS(SURVEY_COLUMN_CELL)
        str_add_char(out, '\n');
    }
}
