/* plans.csv: see survey_tables.h. */
#include "output/models/survey_tables.h"

#include "output/models/survey_columns.h"
#include "output/models/timed_plans.h"

/* clang-format off */
#define PLANS_COLUMNS(X) \
    X(model, "", NEITHER, csv_add_text(out, row->model->name)) \
    X(gpu_type, "", NEITHER, csv_comma_text(out, row->type->name)) \
    X(k, "GPUs", NEITHER, csv_comma_int(out, row->k)) \
    X(plan, "", NEITHER, csv_comma_text(out, text)) \
    X(chosen, "", NEITHER, csv_comma_int(out, timed_plans_is_chosen(plans, i))) \
    X(fits, "", NEITHER, csv_comma_int(out, timed_plans_fits(plans, i))) \
    X(memory_gib, "GiB", NEITHER, csv_comma_real(out, plan->memory_gib)) \
    X(iteration_s, "s", LESS, csv_comma_real(out, plan->time_s)) \
    X(compute_s, "s", NEITHER, csv_comma_real(out, plan->parts.compute_s)) \
    X(memory_s, "s", NEITHER, csv_comma_real(out, plan->parts.memory_s)) \
    X(tensor_s, "s", NEITHER, csv_comma_real(out, plan->parts.tensor_s)) \
    X(pipeline_s, "s", NEITHER, csv_comma_real(out, plan->parts.pipeline_s)) \
    X(bubble_s, "s", NEITHER, csv_comma_real(out, plan->parts.bubble_s)) \
    X(gradient_s, "s", NEITHER, csv_comma_real(out, plan->parts.gradient_s)) \
    X(fixed_s, "s", NEITHER, csv_comma_real(out, plan->parts.fixed_s))
/* clang-format on */

static void add_rows(const struct timed_plans *plans, struct str *out) {
    const struct survey_row *row = plans->row;
    for (size_t i = 0; i < plans->list.count; i++) {
        const struct timed_plan *plan = &plans->list.at[i];
        char text[PLAN_TEXT_BYTES];
        plan_text(text, &plan->plan);
        PLANS_COLUMNS(SURVEY_COLUMN_CELL)
        str_add_char(out, '\n');
    }
}

void plans_csv(const struct survey *survey, struct str *out) {
    str_add(out, SURVEY_HEADER(PLANS_COLUMNS));
    for (size_t r = 0; r < survey->rows.count; r++) {
        if (!timed_plans_stand_for(&survey->rows.at[r]))
            continue;
        struct timed_plans plans = timed_plans_of(&survey->rows.at[r]);
        add_rows(&plans, out);
        timed_plans_finish(&plans);
    }
}
