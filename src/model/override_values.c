/* Values and factors of model_overrides: see override_values.h. */
#include "model/override_values.h"

#include "model/batches.h"
#include "model/laws.h"

#include <math.h>

/* now: the struct that the field is of, as it stands there. */
static void assign(const struct override *o, struct override_assignment *assignment,
                   const struct override_place *place, const struct field *field, const void *now) {
    const struct override_value *value = &assignment->value;
    struct arena *arena = o->binding->arena;
    struct yaml_node *node = (struct yaml_node *)value->node;
    if (value->multiplies)
        node = override_product(value, field, now, arena);
    if (!node) {
        override_refuse(o, value, "%s states no %s to be multiplied", override_place_text(place),
                        field->key);
        return;
    }
    if (value->multiplies &&
        override_check(field, node, o->set_path,
                       arena_printf(arena, "%s of %s", field->key, override_place_text(place)),
                       o->binding) < 0)
        return;
    override_place_set(place, field->key, node);
    assignment->made++;
}

static void record_all(const struct override *o, const struct override_place *model,
                       const struct override_value *value) {
    struct override_place place = *model;
    const struct yaml_node *gpus =
        model_tree_gpus(model_tree_models(&model->tree->roots[model->root])->items[model->model]);
    for (size_t g = 0; gpus && g < gpus->count; g++) {
        place.gpu = gpus->keys[g]->text;
        override_place_record(&place, value->parameter.name, override_value_path(o, value),
                              value->node->where);
    }
}

/* Each for override_each_place: what a model says for all its GPU types, and for one. What the
   model says for all its GPU types. */
static void override_assign_to_model(const struct override *o, const struct override_place *place) {
    struct model model;
    struct gpu_model none;
    override_place_read(place, &model, &none);
    for (size_t i = 0; i < o->count; i++) {
        struct override_assignment *a = &o->assignments[i];
        const struct field *field = a->value.parameter.of_model;
        if (!field || !override_is_any(o->entry.gpu))
            continue;
        const char *hidden = override_hidden_in_model(&model, field);
        if (hidden) {
            override_skip(a, place, hidden);
            continue;
        }
        assign(o, a, place, field, &model);
        record_all(o, place, &a->value);
    }
}

/* What it says for one. A key that models have, too, is set there, unless a GPU type is named. */
static void override_assign_to_gpu(const struct override *o, const struct override_place *place) {
    struct model model;
    struct gpu_model gpu_model;
    override_place_read(place, &model, &gpu_model);
    for (size_t i = 0; i < o->count; i++) {
        struct override_assignment *a = &o->assignments[i];
        const struct override_parameter *p = &a->value.parameter;
        if (!p->of_gpu)
            continue;
        bool stated = override_place_states(place, p->name);
        const char *hidden = override_hidden_on_gpu(&model, &gpu_model, p->of_gpu);
        if (p->of_model && override_is_any(o->entry.gpu) && !stated)
            continue;
        if (hidden) {
            override_skip(a, place, hidden);
            continue;
        }
        bool from_model = p->of_model && !stated;
        assign(o, a, place, from_model ? p->of_model : p->of_gpu,
               from_model ? (const void *)&model : &gpu_model);
        override_place_record(place, p->name, override_value_path(o, &a->value),
                              a->value.node->where);
    }
}

/* --- override_derived: scaling_efficiency and p0_share of an entry (semantics 3.7) --- */

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

/* A GPU type of which the cluster has nodes; NULL: it has none. Of the cluster; NULL: it has no
   node of it. */
static const struct gpu_type *override_type_in_use(const struct cluster *cluster, const char *gpu) {
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
            "expected a model that is known for k = 1: %s was measured from k %lld on, and its a_s holds its synchronization (alpha_s 0)",
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

/* For override_each_place, by GPU type, after the plain values and from what they left. */
static void override_derive(const struct override *o, const struct override_place *place) {
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

/* --- model_overrides --- */

/* What had no effect somewhere: an error if a name or the whole entry was meant, else a note. */
static void conclude(const struct override *o, struct override_notes *notes) {
    for (size_t i = 0; i < o->count; i++) {
        struct override_assignment *a = &o->assignments[i];
        bool named =
            !override_is_any(o->entry.model) && (!override_is_any(o->entry.gpu) || a->made == 0);
        if (a->skipped.length > 0 && named)
            override_refuse(o, &a->value, "of no effect on %s", override_skipped(o, a));
        else if (a->skipped.length > 0)
            array_push(&notes->texts,
                       arena_printf(o->binding->arena, "%s: of no effect on %s",
                                    override_value_path(o, &a->value), override_skipped(o, a)));
        else if (a->made == 0)
            override_refuse(o, &a->value, "matches nothing: %s on no GPU type%s",
                            override_is_any(o->entry.model)
                                ? "the models run"
                                : arena_printf(o->binding->arena, "%s runs", o->entry.model),
                            a->value.parameter.derived ? " of the cluster" : "");
    }
}

/* A GPU type that the cluster does not have is a name that decides nothing. */
static void note_foreign_gpu(const struct override *o, struct override_notes *notes) {
    if (!override_is_any(o->entry.gpu) && !override_type_in_use(o->cluster, o->entry.gpu))
        array_push(&notes->texts,
                   arena_printf(o->binding->arena,
                                "%s: of no effect, no node of the cluster has GPUs of type %s",
                                o->path, o->entry.gpu));
}

/* Whether it has values beside derived ones. */
static bool has_plain_values(const struct override *o) {
    size_t i = 0;
    while (i < o->count && o->assignments[i].value.parameter.derived != DERIVED_NONE)
        i++;
    return i < o->count;
}

static void apply_entry(struct override *o, struct override_notes *notes) {
    size_t before = o->binding->problems->count;
    if (override_entry_bind(o) < 0)
        return;
    if (has_plain_values(o)) { /* else there is no need to read the models */
        override_each_place(o, false, override_assign_to_model);
        override_each_place(o, true, override_assign_to_gpu);
    }
    override_each_place(o, true, override_derive);
    if (o->binding->problems->count == before) {
        conclude(o, notes);
        note_foreign_gpu(o, notes);
    }
    override_entry_finish(o);
}

int model_overrides_apply(const struct override_target *target, const struct yaml_node *overrides,
                          const struct binding *binding) {
    size_t before = binding->problems->count;
    if (!overrides)
        return 0;
    if (overrides->kind != YAML_NODE_SEQUENCE || overrides->count == 0)
        return schema_wrong(binding, overrides, "model_overrides", "a list of mappings");
    if (target->tree->count == 0) {
        problems_add(binding->problems, overrides->where, "model_overrides",
                     "expected models, of which the scenario has none");
        return ERROR_INPUT;
    }
    for (size_t i = 0; i < overrides->count; i++) {
        struct override o = {.tree = target->tree,
                             .cluster = target->cluster,
                             .binding = binding,
                             .node = overrides->items[i]};
        o.path = arena_printf(binding->arena, "model_overrides[%zu]", i);
        o.set_path = arena_printf(binding->arena, "%s.set", o.path);
        apply_entry(&o, target->notes);
    }
    return binding->problems->count > before ? ERROR_INPUT : 0;
}
