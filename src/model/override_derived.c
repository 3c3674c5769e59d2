/* From what the plain values have left: see override_derived.h. */
#include "model/override_derived.h"

#include "model/batches.h"
#include "model/model_phase.h"
#include "model/override_effect.h"
#include "model/scaling_efficiency.h"

#include <math.h>

static void set_derived(const struct override *o, struct override_assignment *assignment,
                        const struct override_place *place, const char *key, double number) {
    const struct override_value *value = &assignment->value;
    struct arena *arena = o->binding->arena;
    struct yaml_node *node = override_number(number, value->node, arena);
    const struct field *field = override_gpu_field(key);
    if (override_check(field, node, o->set_path,
                       arena_printf(arena, "%s: %s of %s", value->parameter.name, key,
                                    override_place_text(place)),
                       o->binding) < 0)
        return;
    override_place_set(place, key, node);
    override_place_record(place, key, override_value_path(o, value), value->node->where);
}

static void derive_p0(const struct override *o, struct override_assignment *assignment,
                      const struct override_place *place, const struct model *model,
                      const struct gpu_model *g) {
    const char *hidden = override_hidden_on_gpu(model, g, override_gpu_field("p0_w"));
    if (hidden) {
        override_skip(assignment, place, hidden);
        return;
    }
    assignment->made++;
    if (!isnan(g->power.pmax_w)) /* else the file is wrong, and that is said later */
        set_derived(o, assignment, place, "p0_w", assignment->value.number * g->power.pmax_w);
}

/* Of the cluster; NULL: it has no node of it. */
const struct gpu_type *override_type_in_use(const struct cluster *cluster, const char *gpu) {
    int h = cluster_find_type(cluster, gpu);
    return h < 0 || cluster->gpu_types[h].gpus == 0 ? NULL : &cluster->gpu_types[h];
}

/* Number i of the batches that jobs may have on k GPUs, those of the phases where each states its
   own; 0: there are no more. */
static double allowed_batch(const struct model *model, const struct gpu_model *g, size_t i,
                            uint32_t k) {
    const struct batch_choice *choice = batches_on(model, g);
    if (!model_phases_state(model, model_phase_states_batches))
        return i < batches_count(choice) ? batches_at(choice, i, k) : 0;
    for (uint32_t phase = 0; phase < model_phase_count(model); phase++) {
        const struct schema_list *list = model_phase_batches(model, phase);
        if (i < list->count)
            return ((const double *)list->at)[i];
        i -= list->count;
    }
    return 0;
}

static bool fits_one_gpu(const struct model *model, const struct gpu_model *g, double memory_gib) {
    double batch = allowed_batch(model, g, 0, 1);
    if (batch == 0)
        return true; /* told when the file is bound */
    for (size_t i = 1; batch > 0; batch = allowed_batch(model, g, i++, 1))
        if (batches_memory_gib(model, g, 1, batch) <= memory_gib)
            return true;
    return false;
}

/* Where no row of one GPU was fitted, a_s holds what alpha_s should: r(1) is not known. */
static bool knows_one_gpu(const struct gpu_model *g) {
    const int64_t *range = g->range_k.at;
    return g->range_k.count == 0 || range[0] == 1 || g->speed.alpha_s[EASIM_ONE_NODE] > 0;
}

/* 0 after adding a problem. */
static uint32_t scaling_k(const struct override *o, const struct override_value *value,
                          const struct override_place *place, const struct model *model,
                          const struct gpu_model *g) {
    const struct gpu_type *type = override_type_in_use(o->cluster, place->gpu);
    if (!type)
        override_refuse(o, value, "expected a GPU type of the cluster: it has no node of %s",
                        place->gpu);
    else if (type->node_gpus_max < 2)
        override_refuse(o, value, "expected nodes of 2 GPUs or more, the largest of %s has 1",
                        place->gpu);
    else if (!fits_one_gpu(model, g, type->memory_gib))
        override_refuse(o, value,
                        "expected a model that runs on one GPU: %s needs more than its %.9g GiB",
                        override_place_text(place), type->memory_gib);
    else if (!knows_one_gpu(g))
        override_refuse(
            o, value,
            "expected a model that is known for k = 1: %s was measured from k %lld on, and its a_s holds its synchronisation (alpha_s 0)",
            override_place_text(place), (long long)((const int64_t *)g->range_k.at)[0]);
    else
        return type->node_gpus_max;
    return 0;
}

/* On k GPUs; 0: none is stated. */
static double largest_batch(const struct model *model, const struct gpu_model *g, uint32_t k) {
    double largest = 0, batch;
    for (size_t i = 0; (batch = allowed_batch(model, g, i, k)) > 0; i++)
        largest = fmax(largest, batch);
    return largest;
}

static void derive_alpha(const struct override *o, struct override_assignment *assignment,
                         const struct override_place *place, const struct model *model,
                         const struct gpu_model *g) {
    const struct override_value *value = &assignment->value;
    const char *hidden = override_hidden_on_gpu(model, g, override_gpu_field("alpha_s"));
    if (hidden) {
        override_skip(assignment, place, hidden);
        return;
    }
    if (override_is_any(o->entry.gpu) && !override_type_in_use(o->cluster, place->gpu))
        return; /* it runs nowhere */
    assignment->made++;
    struct scaling scaling = {.params = g->speed, .k = scaling_k(o, value, place, model, g)};
    scaling.batch = largest_batch(model, g, scaling.k);
    if (scaling.k == 0 || !(scaling.batch > 0) ||
        isnan(g->speed.a_s + g->speed.c_s + g->speed.gamma + g->speed.alpha_s[0]))
        return; /* said already, or when the file is bound */
    scaling.steps_alone = batches_steps(g, 1, scaling.batch);
    scaling.steps = batches_steps(g, scaling.k, scaling.batch);
    double alpha_s = scaling_alpha_s(&scaling, value->number);
    if (alpha_s < 0) {
        scaling.params.alpha_s[EASIM_ONE_NODE] = 0;
        override_refuse(
            o, value,
            "expected at most the %.9g that alpha_s = 0 gives %s with %u GPUs and %.9g samples each, got %.9g",
            scaling_efficiency(&scaling), override_place_text(place), scaling.k, scaling.batch,
            value->number);
        return;
    }
    scaling_set_alpha_s(&scaling.params, alpha_s);
    set_derived(o, assignment, place, "alpha_s", scaling.params.alpha_s[EASIM_ONE_NODE]);
    if (override_place_states(place, "alpha_inter_s"))
        set_derived(o, assignment, place, "alpha_inter_s",
                    scaling.params.alpha_s[EASIM_ACROSS_NODES]);
}

/* From what the plain values have left. */
void override_derive(const struct override *o, const struct override_place *place) {
    struct model model;
    struct gpu_model gpu_model;
    for (size_t i = 0; i < o->count; i++) {
        struct override_assignment *a = &o->assignments[i];
        if (a->value.parameter.derived == DERIVED_NONE)
            continue;
        override_place_read(place, &model, &gpu_model);
        if (a->value.parameter.derived == DERIVED_P0_SHARE)
            derive_p0(o, a, place, &model, &gpu_model);
        else if (a->value.parameter.derived == DERIVED_SCALING_EFFICIENCY)
            derive_alpha(o, a, place, &model, &gpu_model);
    }
}
