/* Values and factors: see override_values.h. */
#include "model/override_values.h"

#include "model/override_effect.h"

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

/* What the model says for all its GPU types. */
void override_assign_to_model(const struct override *o, const struct override_place *place) {
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
void override_assign_to_gpu(const struct override *o, const struct override_place *place) {
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
