/* Overrides are made in the tree of the model files, before it is bound: so they are held against
   the same tables, and what is written as models.yaml is what was run. */
#include "model/model_overrides.h"

#include "model/batches.h"
#include "model/model_phase.h"
#include "model/override_parameter.h"
#include "model/override_place.h"
#include "model/scaling_efficiency.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct override_entry {
    struct location where;
    const char *model, *gpu; /* exact names, or ANY */
    const struct yaml_node *set;
};

#define ANY "*"

static const struct field entry_fields[] = {
    {.type = FIELD_LOCATION, .offset = offsetof(struct override_entry, where)},
    {.key = "model",
     .type = FIELD_STRING,
     .offset = offsetof(struct override_entry, model),
     .default_text = ANY,
     .min = 1,
     .help = "name of a model, or *"},
    {.key = "gpu",
     .type = FIELD_STRING,
     .offset = offsetof(struct override_entry, gpu),
     .default_text = ANY,
     .min = 1,
     .help = "name of a GPU type, or *"},
    {.key = "set",
     .type = FIELD_NODE,
     .offset = offsetof(struct override_entry, set),
     .required = true,
     .help = "PARAMETER: VALUE, or PARAMETER: {times: X}"},
    FIELDS_END};

/* One value of an entry, and what has become of it. */
struct assignment {
    struct override_value value;
    size_t made;        /* places that took it */
    struct str skipped; /* those on which it has no effect, with the reason: the first ones */
    size_t skipped_count;
};

struct override {
    const struct override_target *target;
    const struct binding *binding;
    const char *path, *set_path; /* model_overrides[0], model_overrides[0].set */
    const struct yaml_node *node;
    struct override_entry entry;
    struct assignment *assignments;
    size_t count;
};

static bool matches(const char *wanted, const char *name) {
    return strcmp(wanted, ANY) == 0 || strcmp(wanted, name) == 0;
}

static bool is_any(const char *wanted) {
    return strcmp(wanted, ANY) == 0;
}

static const char *value_path(const struct override *o, const struct override_value *value) {
    return arena_printf(o->binding->arena, "%s.%s", o->set_path, value->parameter.name);
}

__attribute__((format(printf, 3, 4))) static void refuse_value(const struct override *o,
                                                               const struct override_value *value,
                                                               const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const char *text = arena_vprintf(o->binding->arena, format, arguments);
    va_end(arguments);
    problems_add(o->binding->problems, value->node->where, value_path(o, value), "%s", text);
}

/* ---- Places ---- */

/* Calls visit for each model that matches, with gpu NULL, or for each of its GPU types that do. */
static void for_each_place(const struct override *o, bool by_gpu,
                           void (*visit)(const struct override *o,
                                         const struct override_place *place)) {
    struct model_tree *tree = o->target->tree;
    for (size_t r = 0; r < tree->count; r++)
        for (size_t m = 0; m < model_tree_models(&tree->roots[r])->count; m++) {
            const struct yaml_node *model = model_tree_models(&tree->roots[r])->items[m];
            const struct yaml_node *gpus = model_tree_gpus(model);
            struct override_place place = {tree, o->binding->arena, r, m,
                                           .name = model_tree_name(model)};
            if (!place.name || !matches(o->entry.model, place.name))
                continue;
            for (size_t g = 0; by_gpu && gpus && g < gpus->count; g++) {
                place.gpu = gpus->keys[g]->text;
                if (matches(o->entry.gpu, place.gpu))
                    visit(o, &place);
            }
            if (!by_gpu)
                visit(o, &place);
        }
}

/* ---- Names ---- */

struct names {
    ARRAY_OF(const char *) models, gpus; /* of all model files; of the models that match */
};

static void collect_names(const struct override *o, struct names *names) {
    const struct model_tree *tree = o->target->tree;
    for (size_t r = 0; r < tree->count; r++)
        for (size_t m = 0; m < model_tree_models(&tree->roots[r])->count; m++) {
            const struct yaml_node *model = model_tree_models(&tree->roots[r])->items[m];
            const struct yaml_node *gpus = model_tree_gpus(model);
            const char *name = model_tree_name(model);
            if (name)
                array_push(&names->models, name);
            for (size_t g = 0; name && gpus && matches(o->entry.model, name) && g < gpus->count;
                 g++)
                array_push(&names->gpus, gpus->keys[g]->text);
        }
}

static bool has_name(const char *const *names, size_t count, const char *name) {
    for (size_t i = 0; i < count; i++)
        if (matches(name, names[i]))
            return true;
    return false;
}

static struct location where_of(const struct override *o, const char *key) {
    const struct yaml_node *node = yaml_find(o->node, key);
    return node ? node->where : o->node->where;
}

static int check_entry_names(const struct override *o) {
    struct names names = {.models = {0}};
    struct arena *arena = o->binding->arena;
    int result = ERROR_INPUT;
    collect_names(o, &names);
    if (!has_name(names.models.at, names.models.count, o->entry.model))
        problems_add(o->binding->problems, where_of(o, "model"),
                     arena_printf(arena, "%s.model", o->path), "no model is named \"%.80s\"%s",
                     o->entry.model,
                     str_suggestion(arena, o->entry.model, names.models.at, names.models.count));
    else if (!is_any(o->entry.gpu) && !has_name(names.gpus.at, names.gpus.count, o->entry.gpu))
        problems_add(o->binding->problems, where_of(o, "gpu"),
                     arena_printf(arena, "%s.gpu", o->path), "%s %s GPU type \"%.80s\"%s",
                     is_any(o->entry.model) ? "no model" : o->entry.model,
                     is_any(o->entry.model) ? "knows a" : "knows no", o->entry.gpu,
                     str_suggestion(arena, o->entry.gpu, names.gpus.at, names.gpus.count));
    else
        result = 0;
    free(names.models.at);
    free(names.gpus.at);
    return result;
}

/* ---- Plain values ---- */

/* Why a parameter of a model on a GPU type decides nothing there; NULL: it does. */
static const char *hidden_by(const struct gpu_model *g, const struct field *field) {
    bool of_speed = field->offset >= offsetof(struct gpu_model, speed) &&
                    field->offset < offsetof(struct gpu_model, speed) + sizeof g->speed;
    bool of_power = field->offset >= offsetof(struct gpu_model, power) &&
                    field->offset < offsetof(struct gpu_model, power) + sizeof g->power;
    bool by_table = field->offset == offsetof(struct gpu_model, speed.c_s)
                        ? g->lookup_speed && g->lookup_power /* power asks for it, too */
                        : (of_speed && g->lookup_speed) || (of_power && g->lookup_power);
    if (by_table)
        return "a lookup table";
    return of_power && g->power_form == POWER_TDP ? "power: tdp" : NULL;
}

/* The same of a parameter of a model as a whole. */
static const char *model_hidden_by(const struct model *m, const struct field *field) {
    bool of_serving = field->offset >= offsetof(struct model, serving) &&
                      field->offset < offsetof(struct model, serving) + sizeof m->serving;
    bool of_phi = field->offset == offsetof(struct model, phi);
    bool of_noise = of_phi || field->offset == offsetof(struct model, m0);
    if (!m->gpus_node && !of_serving)
        return "serving tables alone";
    if (of_noise && m->efficiency == EFFICIENCY_NONE)
        return "efficiency: none";
    return of_phi && model_phases_state(m, model_phase_states_phi) ? "phases with their own" : NULL;
}

#define NAMED_SKIPPED 5

static void skip_place(struct assignment *assignment, const struct override_place *place,
                       const char *why) {
    if (assignment->skipped_count++ < NAMED_SKIPPED)
        str_addf(&assignment->skipped, "%s%s (%s)", assignment->skipped.length > 0 ? ", " : "",
                 override_place_text(place), why);
}

/* now: the struct that the field is of, as it stands there. */
static void assign(const struct override *o, struct assignment *assignment,
                   const struct override_place *place, const struct field *field, const void *now) {
    const struct override_value *value = &assignment->value;
    struct arena *arena = o->binding->arena;
    struct yaml_node *node = (struct yaml_node *)value->node;
    if (value->multiplies)
        node = override_product(value, field, now, arena);
    if (!node) {
        refuse_value(o, value, "%s states no %s to be multiplied", override_place_text(place),
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
        override_place_record(&place, value->parameter.name, value_path(o, value),
                              value->node->where);
    }
}

/* What the model says for all its GPU types. */
static void assign_to_model(const struct override *o, const struct override_place *place) {
    struct model model;
    struct gpu_model none;
    override_place_read(place, &model, &none);
    for (size_t i = 0; i < o->count; i++) {
        struct assignment *a = &o->assignments[i];
        const struct field *field = a->value.parameter.of_model;
        if (!field || !is_any(o->entry.gpu))
            continue;
        const char *hidden = model_hidden_by(&model, field);
        if (hidden) {
            skip_place(a, place, hidden);
            continue;
        }
        assign(o, a, place, field, &model);
        record_all(o, place, &a->value);
    }
}

/* What it says for one. A key that models have, too, is set there, unless a GPU type is named. */
static void assign_to_gpu(const struct override *o, const struct override_place *place) {
    struct model model;
    struct gpu_model gpu_model;
    override_place_read(place, &model, &gpu_model);
    for (size_t i = 0; i < o->count; i++) {
        struct assignment *a = &o->assignments[i];
        const struct override_parameter *p = &a->value.parameter;
        if (!p->of_gpu)
            continue;
        bool stated = override_place_states(place, p->name);
        const char *hidden = hidden_by(&gpu_model, p->of_gpu);
        if (p->of_model && is_any(o->entry.gpu) && !stated)
            continue;
        if (hidden) {
            skip_place(a, place, hidden);
            continue;
        }
        bool from_model = p->of_model && !stated;
        assign(o, a, place, from_model ? p->of_model : p->of_gpu,
               from_model ? (const void *)&model : &gpu_model);
        override_place_record(place, p->name, value_path(o, &a->value), a->value.node->where);
    }
}

/* ---- Derived values ---- */

static void set_derived(const struct override *o, struct assignment *assignment,
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
    override_place_record(place, key, value_path(o, value), value->node->where);
}

static void derive_p0(const struct override *o, struct assignment *assignment,
                      const struct override_place *place, const struct gpu_model *g) {
    const char *hidden = hidden_by(g, override_gpu_field("p0_w"));
    if (hidden) {
        skip_place(assignment, place, hidden);
        return;
    }
    assignment->made++;
    if (!isnan(g->power.pmax_w)) /* else the file is wrong, and that is said later */
        set_derived(o, assignment, place, "p0_w", assignment->value.number * g->power.pmax_w);
}

/* Of the cluster; NULL: it has no node of it. */
static const struct gpu_type *type_in_use(const struct cluster *cluster, const char *gpu) {
    int h = cluster_find_type(cluster, gpu);
    return h < 0 || cluster->gpu_types[h].gpus == 0 ? NULL : &cluster->gpu_types[h];
}

static bool fits_one_gpu(const struct model *model, const struct gpu_model *g, double memory_gib) {
    const struct batch_choice *choice = batches_on(model, g);
    for (size_t i = 0; i < batches_count(choice); i++)
        if (batches_memory_gib(model, g, 1, batches_at(choice, i, 1)) <= memory_gib)
            return true;
    return batches_count(choice) == 0; /* told when the file is bound */
}

/* 0 after adding a problem. */
static uint32_t scaling_k(const struct override *o, const struct override_value *value,
                          const struct override_place *place, const struct model *model,
                          const struct gpu_model *g) {
    const struct gpu_type *type = type_in_use(o->target->cluster, place->gpu);
    if (!type)
        refuse_value(o, value, "expected a GPU type of the cluster: it has no node of %s",
                     place->gpu);
    else if (type->node_gpus_max < 2)
        refuse_value(o, value, "expected nodes of 2 GPUs or more, the largest of %s has 1",
                     place->gpu);
    else if (!fits_one_gpu(model, g, type->memory_gib))
        refuse_value(o, value,
                     "expected a model that runs on one GPU: %s needs more than its %.9g GiB",
                     override_place_text(place), type->memory_gib);
    else
        return type->node_gpus_max;
    return 0;
}

/* On k GPUs; 0: none is stated. */
static double largest_batch(const struct model *model, const struct gpu_model *g, uint32_t k) {
    const struct batch_choice *choice = batches_on(model, g);
    double largest = 0;
    for (size_t i = 0; i < batches_count(choice); i++)
        largest = fmax(largest, batches_at(choice, i, k));
    return largest;
}

static void derive_alpha(const struct override *o, struct assignment *assignment,
                         const struct override_place *place, const struct model *model,
                         const struct gpu_model *g) {
    const struct override_value *value = &assignment->value;
    const char *hidden = hidden_by(g, override_gpu_field("alpha_s"));
    if (hidden) {
        skip_place(assignment, place, hidden);
        return;
    }
    if (is_any(o->entry.gpu) && !type_in_use(o->target->cluster, place->gpu))
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
        refuse_value(
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
static void derive(const struct override *o, const struct override_place *place) {
    struct model model;
    struct gpu_model gpu_model;
    for (size_t i = 0; i < o->count; i++) {
        struct assignment *a = &o->assignments[i];
        override_place_read(place, &model, &gpu_model);
        if (a->value.parameter.derived == DERIVED_P0_SHARE)
            derive_p0(o, a, place, &gpu_model);
        else if (a->value.parameter.derived == DERIVED_SCALING_EFFICIENCY)
            derive_alpha(o, a, place, &model, &gpu_model);
    }
}

/* ---- Entries ---- */

static const struct override_value *find_value(const struct override *o, const char *name) {
    for (size_t i = 0; i < o->count; i++)
        if (strcmp(o->assignments[i].value.parameter.name, name) == 0)
            return &o->assignments[i].value;
    return NULL;
}

/* Two values of one entry that say the same parameter: which would count? */
static void check_twice(const struct override *o) {
    static const char *const pairs[][2] = {{"p0_share", "p0_w"},
                                           {"scaling_efficiency", "alpha_s"},
                                           {"scaling_efficiency", "alpha_inter_s"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const struct override_value *derived = find_value(o, pairs[i][0]);
        if (derived && find_value(o, pairs[i][1]))
            refuse_value(o, derived,
                         "expected no %s beside it, which it sets: another entry may follow",
                         pairs[i][1]);
    }
}

static void check_levels(const struct override *o) {
    for (size_t i = 0; i < o->count && !is_any(o->entry.gpu); i++) {
        const struct override_value *value = &o->assignments[i].value;
        if (value->parameter.of_model && !value->parameter.of_gpu)
            refuse_value(o, value,
                         "expected no gpu in its entry: a model has one %s for all GPU types",
                         value->parameter.name);
    }
}

/* A null counts as absent, as everywhere. */
static void bind_values(struct override *o) {
    const struct yaml_node *set = o->entry.set;
    if (set->kind != YAML_NODE_MAPPING || set->count == 0) {
        (void)schema_wrong(o->binding, set, o->set_path, "a mapping from parameters to values");
        return;
    }
    o->assignments = arena_alloc(o->binding->arena, set->count * sizeof *o->assignments);
    for (size_t i = 0; i < set->count; i++)
        if (!yaml_is_null(set->items[i]) &&
            override_value_bind(&o->assignments[o->count].value, set->keys[i], set->items[i],
                                o->set_path, o->binding) == 0)
            o->count++;
    check_twice(o);
    check_levels(o);
}

/* What had no effect somewhere: an error if a name or the whole entry was meant, else a note. */
static void conclude(const struct override *o) {
    for (size_t i = 0; i < o->count; i++) {
        struct assignment *a = &o->assignments[i];
        if (a->skipped_count > NAMED_SKIPPED)
            str_addf(&a->skipped, " and %zu more", a->skipped_count - NAMED_SKIPPED);
        bool named = !is_any(o->entry.model) && (!is_any(o->entry.gpu) || a->made == 0);
        if (a->skipped.length > 0 && named)
            refuse_value(o, &a->value, "of no effect on %s", a->skipped.text);
        else if (a->skipped.length > 0)
            array_push(&o->target->notes->texts,
                       arena_printf(o->binding->arena, "%s: of no effect on %s",
                                    value_path(o, &a->value), a->skipped.text));
        else if (a->made == 0)
            refuse_value(o, &a->value, "matches nothing: %s on no GPU type%s",
                         is_any(o->entry.model)
                             ? "the models run"
                             : arena_printf(o->binding->arena, "%s runs", o->entry.model),
                         a->value.parameter.derived ? " of the cluster" : "");
    }
}

/* A GPU type that the cluster does not have is a name that decides nothing. */
static void note_foreign_gpu(const struct override *o) {
    if (!is_any(o->entry.gpu) && !type_in_use(o->target->cluster, o->entry.gpu))
        array_push(&o->target->notes->texts,
                   arena_printf(o->binding->arena,
                                "%s: of no effect, no node of the cluster has GPUs of type %s",
                                o->path, o->entry.gpu));
}

static void apply_entry(struct override *o) {
    size_t before = o->binding->problems->count;
    if (schema_bind(o->binding, entry_fields, o->node, o->path, &o->entry) < 0)
        return;
    bind_values(o);
    int known = check_entry_names(o);
    if (known < 0 || o->binding->problems->count > before)
        return;
    for_each_place(o, false, assign_to_model);
    for_each_place(o, true, assign_to_gpu);
    for_each_place(o, true, derive);
    bool done = o->binding->problems->count == before;
    if (done) {
        conclude(o);
        note_foreign_gpu(o);
    }
    for (size_t i = 0; i < o->count; i++)
        str_finish(&o->assignments[i].skipped);
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
        struct override o = {.target = target, .binding = binding, .node = overrides->items[i]};
        o.path = arena_printf(binding->arena, "model_overrides[%zu]", i);
        o.set_path = arena_printf(binding->arena, "%s.set", o.path);
        apply_entry(&o);
    }
    return binding->problems->count > before ? ERROR_INPUT : 0;
}
