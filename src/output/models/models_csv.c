/* models.csv: see survey_tables.h. */
#include "output/models/survey_tables.h"

#include "output/models/survey_columns.h"

/* clang-format off */
#define MODELS_COLUMNS(X) \
    X(model, "", NEITHER, csv_add_text(out, row->model->name)) \
    X(gpu_type, "", NEITHER, csv_comma_text(out, row->type->name)) \
    X(phase, "", NEITHER, csv_comma_count(out, survey_columns_phase(row))) \
    X(k, "GPUs", NEITHER, csv_comma_int(out, row->k)) \
    X(b, "samples", NEITHER, csv_comma_real(out, row->batch)) \
    X(global_batch, "samples", NEITHER, csv_comma_real(out, row->samples)) \
    X(steps, "", NEITHER, csv_comma_real(out, row->steps)) \
    X(span, "", NEITHER, csv_comma_text(out, survey_columns_span(row))) \
    X(power_limit_w, "W", NEITHER, csv_comma_real(out, row->power_limit_w)) \
    X(state, "", NEITHER, csv_comma_text(out, survey_state_names[row->state])) \
    X(iteration_s, "s", NEITHER, csv_comma_real(out, row->iteration_s)) \
    X(rate_per_s, "1/s", MORE, csv_comma_real(out, row->rate)) \
    X(efficiency, "share", MORE, csv_comma_real(out, row->efficiency)) \
    X(goodput_per_s, "1/s", MORE, csv_comma_real(out, row->goodput)) \
    X(power_w, "W", LESS, csv_comma_real(out, row->power_w)) \
    X(energy_per_unit_j, "J", LESS, csv_comma_real(out, row->energy_j)) \
    X(unit, "", NEITHER, csv_comma_text(out, survey_columns_unit(row))) \
    X(speedup, "", MORE, csv_comma_real(out, row->speedup)) \
    X(scaling_efficiency, "share", MORE, csv_comma_real(out, row->scaling_efficiency)) \
    X(base_k, "GPUs", NEITHER, csv_comma_count(out, row->base_k)) \
    X(memory_gib, "GiB", NEITHER, csv_comma_real(out, row->memory_gib)) \
    X(speed_form, "", NEITHER, csv_comma_text(out, survey_columns_speed(row))) \
    X(power_form, "", NEITHER, csv_comma_text(out, survey_columns_power(row))) \
    X(power_scope, "", NEITHER, csv_comma_text(out, survey_columns_scope(row))) \
    X(evidence, "", NEITHER, csv_comma_text(out, evidence_names[row->gpu_model->weakest])) \
    X(range, "", NEITHER, csv_comma_text(out, survey_range_names[row->range]))
/* Behind them, where a model is a transformer. */
#define PLAN_COLUMNS(X) \
    X(plan, "", NEITHER, csv_comma_text(out, plan_gpus(&row->plan) > 0 ? plan : NULL))
/* clang-format on */

void models_csv(const struct survey *survey, struct str *out) {
    bool plans = false;
    for (size_t i = 0; i < survey->pairs.count; i++)
        plans = plans || survey->pairs.at[i].model->is_transformer;
    str_add(out, &(MODELS_COLUMNS(SURVEY_COLUMN_NAME))[1]);
    str_add(out, plans ? PLAN_COLUMNS(SURVEY_COLUMN_NAME) "\n" : "\n");
    for (size_t i = 0; i < survey->rows.count; i++) {
        const struct survey_row *row = &survey->rows.at[i];
        char plan[PLAN_TEXT_BYTES];
        plan_text(plan, &row->plan);
        MODELS_COLUMNS(SURVEY_COLUMN_CELL)
        if (plans)
            PLAN_COLUMNS(SURVEY_COLUMN_CELL)
        str_add_char(out, '\n');
    }
}
