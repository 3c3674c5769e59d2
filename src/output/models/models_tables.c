/* CSV tables of a survey: see survey_tables.h. */
#include "model/gpu_value.h"
#include "output/columns.h"
#include "output/models/models.h"
#include "output/models/survey_tables.h"

#include <stdlib.h>

/* --- models_csv --- */

/* clang-format off */
#define MODELS_COLUMNS(X) \
    X(model, text, "", NEITHER, row->model->name) \
    X(gpu_type, text, "", NEITHER, row->type->name) \
    X(phase, count, "", NEITHER, survey_columns_phase(row)) \
    X(k, int, "GPUs", NEITHER, row->k) \
    X(b, real, "samples", NEITHER, row->batch) \
    X(global_batch, real, "samples", NEITHER, row->samples) \
    X(steps, real, "", NEITHER, row->steps) \
    X(span, text, "", NEITHER, survey_columns_span(row)) \
    X(power_limit_w, real, "W", NEITHER, row->power_limit_w) \
    X(state, text, "", NEITHER, survey_state_names[row->state]) \
    X(iteration_s, real, "s", NEITHER, row->iteration_s) \
    X(rate_per_s, real, "1/s", MORE, row->rate) \
    X(efficiency, real, "share", MORE, row->efficiency) \
    X(goodput_per_s, real, "1/s", MORE, row->goodput) \
    X(power_w, real, "W", LESS, row->power_w) \
    X(energy_per_unit_j, real, "J", LESS, row->energy_j) \
    X(unit, text, "", NEITHER, survey_columns_unit(row)) \
    X(speedup, real, "", MORE, row->speedup) \
    X(scaling_efficiency, real, "share", MORE, row->scaling_efficiency) \
    X(base_k, count, "GPUs", NEITHER, row->base_k) \
    X(memory_gib, real, "GiB", NEITHER, row->memory_gib) \
    X(speed_form, text, "", NEITHER, survey_columns_speed(row)) \
    X(power_form, text, "", NEITHER, survey_columns_power(row)) \
    X(power_scope, text, "", NEITHER, survey_columns_scope(row)) \
    X(evidence, text, "", NEITHER, evidence_names[row->gpu_model->weakest]) \
    X(range, text, "", NEITHER, survey_range_names[row->range])
/* Columns after these, if a model is a transformer. */
#define MODELS_COLUMNS_PLAN(X) \
    X(plan, text, "", NEITHER, plan_gpus(&row->plan) > 0 ? plan : NULL) \
    X(plan_origin, text, "", NEITHER, plan_origin_names[row->plan_origin]) \
    X(published_k, count, "GPUs", NEITHER, row->published_k)
/* clang-format on */

void models_csv(const struct survey *survey, struct str *out) {
    bool plans = false;
    for (size_t i = 0; i < survey->pairs.count; i++)
        plans = plans || survey->pairs.at[i].model->is_transformer;
    str_add(out, &MODELS_COLUMNS(COLUMN_NAME)[1]);
    str_add(out, plans ? MODELS_COLUMNS_PLAN(COLUMN_NAME) "\n" : "\n");
    for (size_t i = 0; i < survey->rows.count; i++) {
        const struct survey_row *row = &survey->rows.at[i];
        char plan[PLAN_TEXT_BYTES];
        plan_text(plan, &row->plan);
        size_t begin = out->length;
        MODELS_COLUMNS(COLUMN_CELL)
        if (plans) {
            MODELS_COLUMNS_PLAN(COLUMN_CELL)
        }
        columns_end_row(out, begin);
    }
}

/* --- measured_csv --- */

/* clang-format off */
#define MEASURED_COLUMNS(X) \
    X(model, text, "", NEITHER, row->model->name) \
    X(gpu_type, text, "", NEITHER, row->type->name) \
    X(k, int, "GPUs", NEITHER, row->k) \
    X(b, real, "samples", NEITHER, row->batch) \
    X(span, text, "", NEITHER, survey_columns_span(row)) \
    X(power_limit_w, real, "W", NEITHER, row->power_limit_w) \
    X(source, text, "", NEITHER, point->source) \
    X(evidence, text, "", NEITHER, evidence_names[point->evidence]) \
    X(rate_per_s, real, "1/s", MORE, row->rate) \
    X(rate_modelled_per_s, real, "1/s", MORE, point->modelled.rate) \
    X(power_w, real, "W", LESS, row->power_w) \
    X(power_modelled_w, real, "W", LESS, point->modelled.power_w) \
    X(energy_per_unit_j, real, "J", LESS, row->energy_j) \
    X(energy_modelled_per_unit_j, real, "J", LESS, point->modelled.energy_j) \
    X(unit, text, "", NEITHER, survey_columns_unit(row))
/* clang-format on */

void measured_csv(const struct survey *survey, struct str *out) {
    str_add(out, survey->points.count > 0 ? TABLE_HEADER(MEASURED_COLUMNS) : "");
    for (size_t i = 0; i < survey->points.count; i++) {
        const struct survey_point *point = &survey->points.at[i];
        const struct survey_row *row = &point->measured;
        TABLE_ROW(MEASURED_COLUMNS);
    }
}

/* --- timed_plans --- */

static void add_timed(void *to, const struct plan *plan) {
    struct timed_plans *plans = to;
    const struct transformer *shape = &plans->row->model->transformer;
    struct timed_plan timed = {.plan = *plan, .place = plans->list.count};
    timed.parts =
        plan_time_parts(shape, plan, &plans->hardware, plans->row->span != EASIM_ONE_NODE);
    timed.time_s = plan_parts_sum_s(&timed.parts);
    timed.memory_gib = plan_memory_gib(shape, plan);
    array_push(&plans->list, timed);
}

ORDER_BY(compare_times, struct timed_plan, ASC(time_s) ASC(place))

static bool same_plans(const struct plan *a, const struct plan *b) {
    return a->tensor == b->tensor && a->pipeline == b->pipeline && a->data == b->data &&
           a->context == b->context && a->interleaving == b->interleaving &&
           a->micro_batch == b->micro_batch;
}

struct timed_plans timed_plans_of(const struct survey_row *row) {
    const struct gpu_model slowed =
        gpu_value_slowed(row->gpu_model, network_slowdown(&row->cluster->network, row->span));
    struct timed_plans plans = {row, plan_hardware_of(&slowed, row->type), {0}};
    plan_each(&row->model->transformer, row->k, plans.hardware.node_gpus, add_timed, &plans);
    bool listed = plan_gpus(&row->plan) == 0;
    for (size_t i = 0; i < plans.list.count && !listed; i++)
        listed = same_plans(&plans.list.at[i].plan, &row->plan);
    if (!listed) /* a context that is none of context_parallel */
        add_timed(&plans, &row->plan);
    sort_array(plans.list.at, plans.list.count, compare_times);
    return plans;
}

bool timed_plans_stand_for(const struct survey_row *row) {
    return row->model->is_transformer && row->k <= row->type->gpus &&
           row->span == cluster_empty_span(row->cluster, row->type, row->k);
}

bool timed_plans_fits(const struct timed_plans *plans, size_t i) {
    return plans->list.at[i].memory_gib <= plans->row->type->memory_gib;
}

bool timed_plans_is_chosen(const struct timed_plans *plans, size_t i) {
    return same_plans(&plans->list.at[i].plan, &plans->row->plan);
}

void timed_plans_finish(struct timed_plans *plans) {
    free(plans->list.at);
}

/* --- plans_csv --- */

/* clang-format off */
#define PLANS_COLUMNS(X) \
    X(model, text, "", NEITHER, row->model->name) \
    X(gpu_type, text, "", NEITHER, row->type->name) \
    X(k, int, "GPUs", NEITHER, row->k) \
    X(plan, text, "", NEITHER, text) \
    X(chosen, flag, "", NEITHER, timed_plans_is_chosen(plans, i)) \
    X(fits, flag, "", NEITHER, timed_plans_fits(plans, i)) \
    X(memory_gib, real, "GiB", NEITHER, plan->memory_gib) \
    X(iteration_s, real, "s", LESS, plan->time_s) \
    X(compute_s, real, "s", NEITHER, plan->parts.compute_s) \
    X(memory_s, real, "s", NEITHER, plan->parts.memory_s) \
    X(tensor_s, real, "s", NEITHER, plan->parts.tensor_s) \
    X(pipeline_s, real, "s", NEITHER, plan->parts.pipeline_s) \
    X(bubble_s, real, "s", NEITHER, plan->parts.bubble_s) \
    X(gradient_s, real, "s", NEITHER, plan->parts.gradient_s) \
    X(fixed_s, real, "s", NEITHER, plan->parts.fixed_s)
/* clang-format on */

static void add_rows(const struct timed_plans *plans, struct str *out) {
    const struct survey_row *row = plans->row;
    for (size_t i = 0; i < plans->list.count; i++) {
        const struct timed_plan *plan = &plans->list.at[i];
        char text[PLAN_TEXT_BYTES];
        plan_text(text, &plan->plan);
        TABLE_ROW(PLANS_COLUMNS);
    }
}

void plans_csv(const struct survey *survey, struct str *out) {
    str_add(out, TABLE_HEADER(PLANS_COLUMNS));
    for (size_t r = 0; r < survey->rows.count; r++) {
        if (!timed_plans_stand_for(&survey->rows.at[r]))
            continue;
        struct timed_plans plans = timed_plans_of(&survey->rows.at[r]);
        add_rows(&plans, out);
        timed_plans_finish(&plans);
    }
}
