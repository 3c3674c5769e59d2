/* See override_entry.h. */
#include "model/override_entry.h"

#include <stdlib.h>
#include <string.h>

#define ANY           OVERRIDE_ANY
#define NAMED_SKIPPED 5

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

static bool matches(const char *wanted, const char *name) {
    return strcmp(wanted, ANY) == 0 || strcmp(wanted, name) == 0;
}

bool override_is_any(const char *wanted) {
    return strcmp(wanted, ANY) == 0;
}

const char *override_value_path(const struct override *o, const struct override_value *value) {
    return arena_printf(o->binding->arena, "%s.%s", o->set_path, value->parameter.name);
}

void override_refuse(const struct override *o, const struct override_value *value,
                     const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const char *text = arena_vprintf(o->binding->arena, format, arguments);
    va_end(arguments);
    problems_add(o->binding->problems, value->node->where, override_value_path(o, value), "%s",
                 text);
}

void override_skip(struct override_assignment *assignment, const struct override_place *place,
                   const char *why) {
    if (assignment->skipped_count++ < NAMED_SKIPPED)
        str_addf(&assignment->skipped, "%s%s (%s)", assignment->skipped.length > 0 ? ", " : "",
                 override_place_text(place), why);
}

/* ---- Places ---- */

/* Calls visit for each model that matches, with gpu NULL, or for each of its GPU types that do. */
void override_each_place(const struct override *o, bool by_gpu,
                         void (*visit)(const struct override *o,
                                       const struct override_place *place)) {
    struct model_tree *tree = o->tree;
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
    const struct model_tree *tree = o->tree;
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
    else if (!override_is_any(o->entry.gpu) &&
             !has_name(names.gpus.at, names.gpus.count, o->entry.gpu))
        problems_add(o->binding->problems, where_of(o, "gpu"),
                     arena_printf(arena, "%s.gpu", o->path), "%s %s GPU type \"%.80s\"%s",
                     override_is_any(o->entry.model) ? "no model" : o->entry.model,
                     override_is_any(o->entry.model) ? "knows a" : "knows no", o->entry.gpu,
                     str_suggestion(arena, o->entry.gpu, names.gpus.at, names.gpus.count));
    else
        result = 0;
    free(names.models.at);
    free(names.gpus.at);
    return result;
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
            override_refuse(o, derived,
                            "expected no %s beside it, which it sets: another entry may follow",
                            pairs[i][1]);
    }
}

static void check_levels(const struct override *o) {
    for (size_t i = 0; i < o->count && !override_is_any(o->entry.gpu); i++) {
        const struct override_value *value = &o->assignments[i].value;
        if (value->parameter.of_model && !value->parameter.of_gpu)
            override_refuse(o, value,
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

int override_entry_bind(struct override *o) {
    size_t before = o->binding->problems->count;
    if (schema_bind(o->binding, entry_fields, o->node, o->path, &o->entry) < 0)
        return ERROR_INPUT;
    bind_values(o);
    int known = check_entry_names(o);
    return known < 0 || o->binding->problems->count > before ? ERROR_INPUT : 0;
}

void override_entry_finish(struct override *o) {
    for (size_t i = 0; i < o->count; i++)
        str_finish(&o->assignments[i].skipped);
}

const char *override_skipped(const struct override *o,
                             const struct override_assignment *assignment) {
    const struct override_assignment *a = assignment;
    if (a->skipped_count <= NAMED_SKIPPED)
        return a->skipped.text;
    return arena_printf(o->binding->arena, "%s and %zu more", a->skipped.text,
                        a->skipped_count - NAMED_SKIPPED);
}
