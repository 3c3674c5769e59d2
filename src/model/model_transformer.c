/* Keys of a transformer and keys of forms exclude each other: see model_transformer.h. */
#include "model/model_transformer.h"

#include <math.h>
#include <string.h>

/* What forms are made of, in a model and in its GPU types. */
static const char *const of_forms[] = {
    "m0", "phi", "phases", "efficiency", "mem0_gib", "mem1_gib", "batches", "global_batches", NULL};
static const char *const of_forms_on_gpu[] = {
    "batches",      "global_batches", "most_batch",       "grad_accum",    "a_s",
    "c_s",          "gamma",          "alpha_s",          "beta_s",        "alpha_inter_s",
    "beta_inter_s", "sync_inter",     "lookup",           "gpus_per_node", "power_between",
    "power_limits", "sync_gamma",     "scaling_exponent", "range_batch",   NULL};
static const char *const of_plans_on_gpu[] = {
    "peak_flops",       "memory_bytes_s",   "node_bytes_s",
    "network_bytes_s",  "compute_fraction", "memory_traffic",
    "gradient_overlap", "node_s",           NULL};

static void refuse_keys(const char *const *keys, const struct yaml_node *node, const char *path,
                        const char *why, const struct binding *binding) {
    for (; *keys; keys++) {
        const struct yaml_node *value = yaml_find(node, *keys);
        if (!yaml_is_null(value))
            problems_add(binding->problems, value->where,
                         arena_printf(binding->arena, "%s.%s", path, *keys),
                         "expected no such key %s: it would have no effect", why);
    }
}

static void check_figures(const struct gpu_model *g, const struct yaml_node *node, const char *path,
                          const struct binding *binding) {
    const struct {
        const char *name;
        double value;
    } needed[] = {{"peak_flops", g->links.peak_flops},
                  {"memory_bytes_s", g->links.memory_bytes_s},
                  {"node_bytes_s", g->links.node_bytes_s},
                  {"network_bytes_s", g->links.network_bytes_s},
                  {"compute_fraction", g->plan_fit.compute_fraction},
                  {"memory_traffic", g->plan_fit.memory_traffic},
                  {"gradient_overlap", g->plan_fit.gradient_overlap},
                  {"p0_w", g->power_form == POWER_TDP ? 0 : g->power.p0_w},
                  {"pmax_w", g->power_form == POWER_TDP ? 0 : g->power.pmax_w}};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (isnan(needed[i].value) && yaml_is_null(yaml_find(node, needed[i].name)))
            problems_add(binding->problems, g->where, path,
                         "key \"%s\" is missing (of a transformer)", needed[i].name);
}

void model_transformer_check(struct model *model, const struct yaml_node *node, const char *path,
                             const struct binding *binding) {
    bool has = model->is_transformer;
    if (has) {
        model->efficiency = EFFICIENCY_NONE;
        transformer_settle(&model->transformer,
                           arena_printf(binding->arena, "%s.transformer", path), binding);
        refuse_keys(of_forms, node, path, "beside a transformer", binding);
    }
    for (uint32_t i = 0; i < model->gpu_count; i++) {
        const char *gpu_path = arena_printf(binding->arena, "%s.gpus.%s", path, model->gpus[i].gpu);
        refuse_keys(has ? of_forms_on_gpu : of_plans_on_gpu, model->gpus_node->items[i], gpu_path,
                    has ? "beside a transformer" : "without a transformer", binding);
        if (has)
            check_figures(&model->gpus[i], model->gpus_node->items[i], gpu_path, binding);
    }
}
