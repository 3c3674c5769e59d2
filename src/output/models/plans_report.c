/* Plans on the terminal: see survey_tables.h. */
#include "output/models/survey_tables.h"

#include "output/models/timed_plans.h"

#define MOST_SHOWN 8 /* of a k, on the terminal */

static void add_plan(struct str *out, const struct timed_plan *plan, const char *mark) {
    char text[PLAN_TEXT_BYTES];
    const struct plan_parts *p = &plan->parts;
    plan_text(text, &plan->plan);
    str_addf(out, "  %-24s%9.4g%8.2f%8.2f%8.2f%8.2f%8.2f%8.2f%8.2f%8.1f%s\n", text, plan->time_s,
             p->compute_s, p->memory_s, p->tensor_s, p->pipeline_s, p->bubble_s, p->gradient_s,
             p->fixed_s, plan->memory_gib, mark);
}

void plans_report(const struct survey *survey, struct str *out) {
    const char *before = "";
    for (size_t r = 0; r < survey->rows.count; r++) {
        const struct survey_row *row = &survey->rows.at[r];
        if (!timed_plans_stand_for(row))
            continue;
        struct timed_plans plans = timed_plans_of(row);
        size_t fit = 0, shown = 0;
        for (size_t i = 0; i < plans.list.count; i++)
            fit += timed_plans_fits(&plans, i);
        str_addf(out, "%s%s on %u %s: %zu plans, %zu fit the memory\n", before, row->model->name,
                 row->k, row->type->name, plans.list.count, fit);
        if (fit > 0)
            str_addf(out, "  %-24s%9s%8s%8s%8s%8s%8s%8s%8s%8s\n", "plan", "time s", "compute",
                     "memory", "tensor", "pipe", "bubble", "grads", "fixed", "GiB");
        for (size_t i = 0; i < plans.list.count; i++) {
            bool fits = timed_plans_fits(&plans, i), chosen = timed_plans_is_chosen(&plans, i);
            bool stated = chosen && shown > 0; /* not the fastest: the model states it */
            if (fits && (shown < MOST_SHOWN || stated)) {
                add_plan(out, &plans.list.at[i], stated ? "  stated" : "");
                shown++;
            }
        }
        if (fit > shown)
            str_addf(out, "  ... and %zu slower ones\n", fit - shown);
        before = "\n";
        timed_plans_finish(&plans);
    }
}
