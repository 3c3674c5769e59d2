/* Plans with times: see timed_plans.h. */
#include "output/models/timed_plans.h"

#include "model/gpu_value.h"

#include <stdlib.h>

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
