/* Keys of a transformer exclude keys of forms: see model_transformer.h. */
#include "model/model_transformer.h"

#include "base/numfmt.h"
#include "cluster/cluster.h"

#include <math.h>
#include <string.h>

/* What forms are made of, in a model and in its GPU types. */
static const char *const of_forms[] = {"m0",         "phi",      "phases",  "efficiency",
                                       "mem0_gib",   "mem1_gib", "batches", "global_batches",
                                       "sync_bytes", NULL};
static const char *const of_forms_on_gpu[] = {"batches",
                                              "global_batches",
                                              "most_batch",
                                              "grad_accum",
                                              "a_s",
                                              "c_s",
                                              "gamma",
                                              "alpha_s",
                                              "beta_s",
                                              "alpha_inter_s",
                                              "beta_inter_s",
                                              "sync_inter",
                                              "lookup",
                                              "power_between",
                                              "power_limits",
                                              "sync_gamma",
                                              "scaling_exponent",
                                              "range_batch",
                                              NULL};
static const char *const of_plans_on_gpu[] = {"peak_flops",
                                              "memory_bytes_s",
                                              "node_bytes_s",
                                              "network_bytes_s",
                                              "compute_fraction",
                                              "memory_traffic",
                                              "gradient_overlap",
                                              "node_s",
                                              "fixed_s",
                                              "software_factor",
                                              "plans",
                                              "published_plans",
                                              "precision",
                                              NULL};
/* What frozen weights have none of: gradients, and a state of the optimizer. */
static const char *const not_of_lora[] = {"distributed_optimizer", NULL};
static const char *const not_of_lora_on_gpu[] = {"gradient_overlap", NULL};

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

static void check_figures(const struct gpu_model *g, bool lora, const struct yaml_node *node,
                          const char *path, const struct binding *binding) {
    const struct {
        const char *name;
        double value;
    } needed[] = {{"peak_flops", g->links.peak_flops},
                  {"memory_bytes_s", g->links.memory_bytes_s},
                  {"node_bytes_s", g->links.node_bytes_s},
                  {"network_bytes_s", g->links.network_bytes_s},
                  {"compute_fraction", g->plan_fit.compute_fraction},
                  {"memory_traffic", g->plan_fit.memory_traffic},
                  {"gradient_overlap", lora ? 0 : g->plan_fit.gradient_overlap},
                  {"p0_w", g->power_form == POWER_TDP ? 0 : g->power.p0_w},
                  {"pmax_w", g->power_form == POWER_TDP ? 0 : g->power.pmax_w}};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (isnan(needed[i].value) && yaml_is_null(yaml_find(node, needed[i].name)))
            problems_add(binding->problems, g->where, path,
                         "key \"%s\" is missing (of a transformer)", needed[i].name);
}

/* Reads what stands as text, and adds problems: plans of other k than stated, or that cannot be; of
   published ones (shape NULL) the global batch may have been another. */
static void settle_plans(const struct gpu_model *g, const struct transformer *shape,
                         const char *path, const struct binding *binding) {
    const struct schema_list *list = shape ? &g->plans : &g->published_plans;
    struct fixed_plan *plans = list->at;
    const uint32_t node_gpus =
        (uint32_t)(g->gpus_per_node > 0 ? g->gpus_per_node : CLUSTER_MAX_NODE_GPUS);
    for (size_t i = 0; i < list->count; i++) {
        struct fixed_plan *p = &plans[i];
        const char *at = arena_printf(binding->arena, "%s.%s[%zu]", path,
                                      shape ? "plans" : "published_plans", i);
        const char *wrong = NULL;
        for (size_t j = 0; j < i; j++)
            if (plans[j].k == p->k)
                problems_add(binding->problems, p->where, at,
                             "expected one plan of each k, got a second one of %lld",
                             (long long)p->k);
        if (!p->text)
            continue;
        if (!plan_parse(p->text, &p->plan))
            problems_add(binding->problems, p->where, at,
                         "expected a plan like tp8pp4v2dp2mb1 (cp after dp if it is above 1), "
                         "got \"%s\"",
                         p->text);
        else if (plan_gpus(&p->plan) != p->k)
            problems_add(binding->problems, p->where, at,
                         "expected a plan of k = %lld GPUs, got \"%s\" of %u", (long long)p->k,
                         p->text, plan_gpus(&p->plan));
        else if (shape && shape->heads > 0 && (wrong = plan_wrong(shape, &p->plan, node_gpus)))
            problems_add(binding->problems, p->where, at,
                         "expected a plan that can be, got \"%s\" where %s", p->text, wrong);
    }
}

void model_transformer_check(struct model *model, const struct yaml_node *node, const char *path,
                             const struct binding *binding) {
    bool has = model->is_transformer;
    if (has) {
        model->efficiency = EFFICIENCY_NONE;
        transformer_settle(&model->transformer,
                           arena_printf(binding->arena, "%s.transformer", path), binding);
        refuse_keys(of_forms, node, path, "beside a transformer", binding);
        if (model->transformer.lora)
            refuse_keys(not_of_lora, yaml_find(node, "transformer"),
                        arena_printf(binding->arena, "%s.transformer", path), "of adapters alone",
                        binding);
    }
    for (uint32_t i = 0; i < model->gpu_count; i++) {
        const char *gpu_path = arena_printf(binding->arena, "%s.gpus.%s", path, model->gpus[i].gpu);
        refuse_keys(has ? of_forms_on_gpu : of_plans_on_gpu, model->gpus_node->items[i], gpu_path,
                    has ? "beside a transformer" : "without a transformer", binding);
        if (!has)
            continue;
        bool lora = model->transformer.lora;
        check_figures(&model->gpus[i], lora, model->gpus_node->items[i], gpu_path, binding);
        settle_plans(&model->gpus[i], &model->transformer, gpu_path, binding);
        settle_plans(&model->gpus[i], NULL, gpu_path, binding);
        if (lora)
            refuse_keys(not_of_lora_on_gpu, model->gpus_node->items[i], gpu_path,
                        "of adapters alone", binding);
    }
}

/* --- config_dropped --- */

void config_dropped_by_memory(struct config_dropped *dropped, double gib) {
    dropped->by_memory++;
    dropped->least_gib = dropped->least_gib > 0 ? fmin(dropped->least_gib, gib) : gib;
}

const char *config_dropped_reason(const struct config_dropped *d, const struct model *model,
                                  struct arena *arena) {
    char text[NUMFMT_BYTES];
    if (d->by_memory > 0) {
        numfmt_real(text, d->least_gib);
        return arena_printf(arena, "needs at least %s GiB of GPU memory", text);
    }
    if (d->by_batch > 0)
        return "its model is a transformer, whose plans choose the batch: expected no b";
    if (d->by_plan > 0)
        return "no plan divides its model's heads, layers and global batch among this number of GPUs, or the one "
               "that is stated for them cannot be on nodes of their type";
    if (d->by_most > 0)
        return "needs steps of more samples per GPU than most_batch of its model";
    if (d->by_span > 0)
        return "the lookup table knows its configurations only across nodes, or only in one node, where the empty cluster never places them";
    if (d->by_range > 0)
        return "no allowed configuration is in the measured range of its lookup table";
    if (d->by_gpus > 0)
        return arena_printf(arena, "needs %u GPUs of one type, the largest allowed type has %u",
                            d->least_k, d->most_gpus);
    if (!model)
        return "no allowed GPU type in the cluster";
    return model->gpu_count == 0 ? "its model has serving tables only, so no job can use it"
                                 : "its model knows no allowed GPU type";
}
