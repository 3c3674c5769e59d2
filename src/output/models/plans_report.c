/* Plans of transformers: see plans_report.h. */
#include "output/models/plans_report.h"

#include "output/models/survey_columns.h"

#include <math.h>
#include <stdlib.h>

#define MOST_SHOWN 8 /* of a k, on the terminal */

struct timed_plan {
    struct plan plan;
    struct plan_parts parts;
    double time_s, memory_gib;
    size_t place; /* in the order of ties */
};

/* The plans of a row's k, in the span of the row. */
struct timed_plans {
    const struct survey_row *row;
    struct plan_hardware hardware;
    ARRAY_OF(struct timed_plan) list;
};

static void add_timed(void *to, const struct plan *plan) {
    struct timed_plans *plans = to;
    const struct transformer *shape = &plans->row->model->transformer;
    struct timed_plan timed = {.plan = *plan, .place = plans->list.count};
    timed.parts = plan_time_parts(shape, plan, &plans->hardware, &plans->row->gpu_model->plan_fit,
                                  plans->row->span != EASIM_ONE_NODE);
    timed.time_s = plan_parts_sum_s(&timed.parts);
    timed.memory_gib = plan_memory_gib(shape, plan);
    array_push(&plans->list, timed);
}

static int compare_times(const void *left, const void *right) {
    const struct timed_plan *a = left, *b = right;
    if (a->time_s != b->time_s)
        return a->time_s < b->time_s ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

/* To be released. */
static struct timed_plans plans_of(const struct survey_row *row) {
    struct timed_plans plans = {row, plan_hardware_of(row->gpu_model, row->type), {0}};
    plan_each(&row->model->transformer, row->k, plans.hardware.node_gpus, add_timed, &plans);
    if (plans.list.count > 0)
        qsort(plans.list.at, plans.list.count, sizeof *plans.list.at, compare_times);
    return plans;
}

/* A row in the span of the empty cluster stands for its k. */
static bool stands_for_k(const struct survey_row *row) {
    return model_is_transformer(row->model) && row->k <= row->type->gpus &&
           (row->span == EASIM_ONE_NODE) == (row->k <= row->type->node_gpus_max);
}

static void add_plan(struct str *out, const struct timed_plan *plan) {
    char text[PLAN_TEXT_BYTES];
    const struct plan_parts *p = &plan->parts;
    plan_text(text, &plan->plan);
    str_addf(out, "  %-24s%9.4g%8.2f%8.2f%8.2f%8.2f%8.2f%8.2f%8.2f%8.1f\n", text, plan->time_s,
             p->compute_s, p->memory_s, p->tensor_s, p->pipeline_s, p->bubble_s, p->gradient_s,
             p->fixed_s, plan->memory_gib);
}

size_t plans_report(const struct survey *survey, struct str *out) {
    size_t all = 0;
    for (size_t r = 0; r < survey->rows.count; r++) {
        const struct survey_row *row = &survey->rows.at[r];
        if (!stands_for_k(row))
            continue;
        struct timed_plans plans = plans_of(row);
        size_t fit = 0, shown = 0;
        for (size_t i = 0; i < plans.list.count; i++)
            fit += plans.list.at[i].memory_gib <= row->type->memory_gib;
        str_addf(out, "%s%s on %u %s: %zu plans, %zu fit the memory\n", all > 0 ? "\n" : "",
                 row->model->name, row->k, row->type->name, plans.list.count, fit);
        if (fit > 0)
            str_addf(out, "  %-24s%9s%8s%8s%8s%8s%8s%8s%8s%8s\n", "plan", "time s", "compute",
                     "memory", "tensor", "pipe", "bubble", "grads", "fixed", "GiB");
        for (size_t i = 0; i < plans.list.count && shown < MOST_SHOWN; i++)
            if (plans.list.at[i].memory_gib <= row->type->memory_gib) {
                add_plan(out, &plans.list.at[i]);
                shown++;
            }
        if (fit > shown)
            str_addf(out, "  ... and %zu slower ones\n", fit - shown);
        all += plans.list.count;
        free(plans.list.at);
    }
    return all;
}

/* clang-format off */
#define PLANS_COLUMNS(X) \
    X(model, "", NEITHER, csv_add_text(out, row->model->name)) \
    X(gpu_type, "", NEITHER, csv_comma_text(out, row->type->name)) \
    X(k, "GPUs", NEITHER, csv_comma_int(out, row->k)) \
    X(plan, "", NEITHER, csv_comma_text(out, text)) \
    X(chosen, "", NEITHER, csv_comma_int(out, plan->place == chosen)) \
    X(fits, "", NEITHER, csv_comma_int(out, plan->memory_gib <= row->type->memory_gib)) \
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
    size_t chosen = SIZE_MAX;
    for (size_t i = 0; i < plans->list.count && chosen == SIZE_MAX; i++)
        if (plans->list.at[i].memory_gib <= row->type->memory_gib)
            chosen = plans->list.at[i].place;
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
        if (!stands_for_k(&survey->rows.at[r]))
            continue;
        struct timed_plans plans = plans_of(&survey->rows.at[r]);
        add_rows(&plans, out);
        free(plans.list.at);
    }
}
