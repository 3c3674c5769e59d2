/* Plans by model, GPU type and k: see plan_table.h. */
#include "model/plan_table.h"

#include "base/array.h"
#include "model/gpu_value.h"
#include "model/model_file.h"

#include <math.h>
#include <stdlib.h>

const char *const plan_origin_names[] = {"", "least_time", "stated", "published", NULL};

void plan_table_finish(struct plan_table *table) {
    intern_finish(&table->keys);
    free(table->choices.at);
}

struct plan_hardware plan_hardware_of(const struct gpu_model *gpu_model,
                                      const struct gpu_type *type) {
    uint32_t node_gpus = type->node_gpus_max > 0 ? type->node_gpus_max : 1;
    return (struct plan_hardware){gpu_model->links, gpu_model->plan_fit, type->memory_gib,
                                  node_gpus};
}

/* The plan that the model states for k GPUs; NULL: none. */
static const struct plan *fixed_plan_of(const struct gpu_model *gpu_model, uint32_t k) {
    const struct fixed_plan *plans = gpu_model->plans.at;
    for (size_t i = 0; i < gpu_model->plans.count; i++)
        if (plans[i].k == k)
            return &plans[i].plan;
    return NULL;
}

/* The published plan of the nearest k, of equally near ones the first; false: none can be. */
static bool choose_published(const struct model *model, const struct gpu_model *gpu_model,
                             const struct plan_hardware *hardware, uint32_t k,
                             struct plan_choice *choice) {
    const struct fixed_plan *plans = gpu_model->published_plans.at;
    double nearest = INFINITY;
    for (size_t i = 0; i < gpu_model->published_plans.count; i++) {
        struct plan plan = plans[i].plan;
        double away = fabs(log((double)k / (double)plans[i].k));
        plan.data = (uint32_t)((uint64_t)plan.data * k / (uint64_t)plans[i].k);
        if (away >= nearest || plan_gpus(&plan) != k ||
            plan_wrong(&model->transformer, &plan, hardware->node_gpus) ||
            plan_memory_gib(&model->transformer, &plan) > hardware->memory_gib)
            continue;
        nearest = away;
        *choice = (struct plan_choice){plan, PLAN_PUBLISHED, (uint32_t)plans[i].k,
                                       plan_memory_gib(&model->transformer, &plan)};
    }
    return nearest < INFINITY;
}

/* As fast as the network is that k GPUs have on the empty cluster. */
static struct plan_choice choose_plan(const struct model *model, const struct cluster *cluster,
                                      const struct gpu_type *type, uint32_t k, bool published) {
    const struct gpu_model gpu_model =
        gpu_value_slowed(model_on_gpu(model, type->name),
                         network_slowdown(&cluster->network, cluster_empty_span(cluster, type, k)));
    const struct plan_hardware hardware = plan_hardware_of(&gpu_model, type);
    const struct plan *fixed = fixed_plan_of(&gpu_model, k);
    struct plan_choice choice = {.least_gib = INFINITY};
    if (!fixed && published && choose_published(model, &gpu_model, &hardware, k, &choice))
        return choice;
    if (!fixed) {
        if (plan_best(&model->transformer, k, &hardware, k > hardware.node_gpus, &choice.plan,
                      &choice.least_gib))
            choice.origin = PLAN_OF_LEAST_TIME;
    } else if (!plan_wrong(&model->transformer, fixed, hardware.node_gpus)) {
        choice.least_gib = plan_memory_gib(&model->transformer, fixed);
        choice.origin = PLAN_STATED;
        if (choice.least_gib <= type->memory_gib)
            choice.plan = *fixed;
    }
    return choice;
}

const struct plan_choice *plan_table_find(struct plan_table *table, const struct model *model,
                                          const struct cluster *cluster,
                                          const struct gpu_type *type, uint32_t k) {
    const void *key[] = {model, type, (const void *)(uintptr_t)k};
    bool is_new;
    uint32_t number = intern(&table->keys, key, sizeof key, &is_new);
    if (is_new)
        array_push(&table->choices, choose_plan(model, cluster, type, k, table->published));
    return &table->choices.at[number];
}

static struct plan_parts parts_of(const struct model *model, const struct gpu_model *gpu_model,
                                  const struct gpu_type *type, const struct plan *plan,
                                  uint32_t span) {
    const struct plan_hardware hardware = plan_hardware_of(gpu_model, type);
    return plan_time_parts(&model->transformer, plan, &hardware, span != EASIM_ONE_NODE);
}

struct interpolation_value plan_value(const struct model *model, const struct gpu_model *gpu_model,
                                      const struct gpu_type *type, const struct plan *plan,
                                      uint32_t span) {
    const struct plan_parts parts = parts_of(model, gpu_model, type, plan, span);
    double iteration_s = plan_parts_sum_s(&parts);
    double share = transformer_flop(&model->transformer) /
                   (plan_gpus(plan) * gpu_model->links.peak_flops * iteration_s);
    return (struct interpolation_value){iteration_s,
                                        power_training_w(&gpu_model->power, 1, share, INFINITY)};
}

double plan_transfer_share(const struct model *model, const struct gpu_model *gpu_model,
                           const struct gpu_type *type, const struct plan *plan, uint32_t span) {
    const struct plan_parts parts = parts_of(model, gpu_model, type, plan, span);
    return (parts.tensor_s + parts.pipeline_s + parts.gradient_s) / plan_parts_sum_s(&parts);
}

void plan_table_tabulate(const struct model *model, const struct cluster *cluster,
                         const struct plan *plan, struct easim_config *config) {
    const struct gpu_type *type = &cluster->gpu_types[config->gpu_type];
    const struct gpu_model *gpu_model = model_on_gpu(model, type->name);
    config->batch = plan->micro_batch;
    config->extrapolated = gpu_value_is_outside_k(gpu_model, config->k);
    for (uint32_t span = EASIM_ONE_NODE; span < config->span_count; span++) {
        const struct gpu_model slowed =
            gpu_value_slowed(gpu_model, network_slowdown(&cluster->network, span));
        const struct interpolation_value value = plan_value(model, &slowed, type, plan, span);
        config->power_w[span] = fmin(type->tdp_w, value.power_w);
        config->goodput[span] = (double)model->transformer.global_batch / value.iteration_s;
    }
}
