/* Entries of model_overrides: see override_entry.h. */
#include "model/override_entry.h"

#include "io/yaml_node.h"
#include "model/batches.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- override_parameter --- */
/* The field tables of model files alone say which parameters there are. */

static int override_value_bind(struct override_value *value, const struct yaml_node *key,
                               const struct yaml_node *node, const char *path,
                               const struct binding *binding) MUST_CHECK;

/* By enum derived_parameter, without DERIVED_NONE. */
static const struct field derived_parameters[] = {
    {"scaling_efficiency", .type = FIELD_REAL, ABOVE(0, 1),
     HELP("sets alpha_s: r(k)/(k r(1)) of the k GPUs of the type's largest node, at the largest "
          "of batches")},
    {"p0_share", .type = FIELD_REAL, ABOVE(0, 1), HELP("sets p0_w: a share of pmax_w")},
    FIELDS_END};

struct factor {
    double times;
};

static const struct field factor_fields[] = {
    {"times", REAL(factor, times), REQUIRED, RANGE(0, INFINITY),
     HELP("factor on the value that the parameter had before")},
    FIELDS_END};

/* ---- Names ---- */

#define MOST_NAMES 128

const struct field *override_gpu_field(const char *key) {
    return model_field_named(gpu_model_fields, key);
}

static size_t add_names(const struct field *fields, const char **names, size_t count) {
    for (const struct field *f = fields; f->key || f->type == FIELD_LOCATION; f++)
        if (f->key && !f->record && count < MOST_NAMES)
            names[count++] = f->key;
    return count;
}

static int refuse_name(const struct yaml_node *key, bool is_record, const char *path,
                       const struct binding *binding) {
    const char *names[MOST_NAMES];
    size_t count = add_names(derived_parameters, names, 0);
    count = add_names(model_fields, names, count);
    count = add_names(gpu_model_fields, names, count);
    if (is_record)
        problems_add(binding->problems, key->where, path,
                     "expected a parameter, got \"%.80s\", a record of the model file", key->text);
    else
        problems_add(binding->problems, key->where, path, "unknown parameter \"%.80s\"%s",
                     key->text, str_suggestion(binding->arena, key->text, names, count));
    return ERROR_INPUT;
}

static const struct field *not_record(const struct field *field) {
    return field && !field->record ? field : NULL;
}

static int find_parameter(struct override_parameter *parameter, const struct yaml_node *key,
                          const char *path, const struct binding *binding) {
    const struct field *of_model = model_field_named(model_fields, key->text);
    const struct field *of_gpu = model_field_named(gpu_model_fields, key->text);
    const struct field *derived = model_field_named(derived_parameters, key->text);
    *parameter = (struct override_parameter){key->text, not_record(of_model), not_record(of_gpu),
                                             DERIVED_NONE};
    if (derived)
        parameter->derived = (enum derived_parameter)(derived - derived_parameters + 1);
    else if (!parameter->of_model && !parameter->of_gpu)
        return refuse_name(key, of_model || of_gpu, path, binding);
    return 0;
}

/* ---- Values ---- */

int override_check(const struct field *field, const struct yaml_node *node, const char *path,
                   const char *name, const struct binding *binding) {
    struct yaml_node key = {.kind = YAML_NODE_SCALAR, .where = node->where, .text = name};
    struct yaml_node *keys[] = {&key}, *items[] = {(struct yaml_node *)node};
    const struct yaml_node one = {
        .kind = YAML_NODE_MAPPING, .where = node->where, .keys = keys, .items = items, .count = 1};
    struct field fields[] = {*field, FIELDS_END};
    union {
        struct model model;
        struct gpu_model gpu_model;
    } out = {0};
    fields[0].key = name;
    return schema_bind(binding, fields, &one, path, &out);
}

static bool is_number(const struct field *field) {
    return field->type == FIELD_REAL || field->type == FIELD_DURATION || field->type == FIELD_GIB ||
           field->type == FIELD_INT;
}

static bool is_list_of_numbers(const struct field *field) {
    return field->type == FIELD_REALS || field->type == FIELD_INTS;
}

static int bind_factor(struct override_value *value, const char *path,
                       const struct binding *binding) {
    struct factor factor = {0};
    const char *where = arena_printf(binding->arena, "%s.%s", path, value->parameter.name);
    int r = schema_bind(binding, factor_fields, value->node, where, &factor);
    value->multiplies = true;
    value->number = factor.times;
    return r;
}

/* Negative after adding problems; path: of the mapping `set`. */
static int override_value_bind(struct override_value *value, const struct yaml_node *key,
                               const struct yaml_node *node, const char *path,
                               const struct binding *binding) {
    *value = (struct override_value){.key = key, .node = node};
    struct override_parameter *p = &value->parameter;
    if (find_parameter(p, key, path, binding) < 0)
        return ERROR_INPUT;
    if (p->derived)
        return schema_bind_value(binding, &derived_parameters[p->derived - 1], node,
                                 arena_printf(binding->arena, "%s.%s", path, p->name),
                                 &value->number);
    const struct field *field = p->of_model ? p->of_model : p->of_gpu;
    if (node->kind == YAML_NODE_MAPPING && (is_number(field) || is_list_of_numbers(field)))
        return bind_factor(value, path, binding);
    return override_check(field, node, path, p->name, binding);
}

/* ---- Products ---- */

struct yaml_node *override_number(double number, const struct yaml_node *like,
                                  struct arena *arena) {
    struct str text = {0};
    struct yaml_node *node = arena_alloc(arena, sizeof *node);
    yaml_add_real(&text, number);
    *node = (struct yaml_node){.kind = YAML_NODE_SCALAR,
                               .where = like->where,
                               .text = arena_strdup(arena, text.text),
                               .length = text.length};
    str_finish(&text);
    return node;
}

static double number_at(const struct field *field, const void *at) {
    bool whole = field->type == FIELD_INT || field->type == FIELD_INTS;
    return whole ? (double)*(const int64_t *)at : *(const double *)at;
}

/* A product too large for a double reads as a number that no field takes. */
static struct yaml_node *product(const struct override_value *value, double number,
                                 struct arena *arena) {
    return override_number(fmin(number * value->number, 1e300), value->node, arena);
}

struct yaml_node *override_product(const struct override_value *value, const struct field *field,
                                   const void *now, struct arena *arena) {
    const char *at = (const char *)now + field->offset;
    if (is_number(field)) {
        double number = number_at(field, at);
        return isnan(number) ? NULL : product(value, number, arena);
    }
    const struct schema_list *list = (const struct schema_list *)at;
    struct yaml_node *node = arena_alloc(arena, sizeof *node);
    *node = (struct yaml_node){.kind = YAML_NODE_SEQUENCE, .where = value->node->where};
    node->items = arena_alloc(arena, list->count * sizeof *node->items);
    for (; node->count < list->count; node->count++)
        node->items[node->count] = product(
            value, number_at(field, (const char *)list->at + node->count * sizeof(double)), arena);
    return list->count > 0 ? node : NULL;
}

/* --- override_place --- */

#define MOST_STEPS 6 /* models, [i], gpus, TYPE, evidence, PARAMETER */

static struct model_root *root_of(const struct override_place *place) {
    return &place->tree->roots[place->root];
}

static struct yaml_node *model_node(const struct override_place *place) {
    return model_tree_models(root_of(place))->items[place->model];
}

static struct yaml_node *place_node(const struct override_place *place) {
    struct yaml_node *model = model_node(place);
    return place->gpu ? yaml_find(model_tree_gpus(model), place->gpu) : model;
}

void override_place_read(const struct override_place *place, struct model *model,
                         struct gpu_model *gpu_model) {
    struct problems ignored = {0};
    const struct binding binding = {.arena = place->arena, .problems = &ignored};
    *model = (struct model){0};
    *gpu_model = (struct gpu_model){0};
    int r = schema_bind(&binding, model_fields, model_node(place), "", model);
    model->is_transformer = !yaml_is_null(yaml_find(model_node(place), "transformer"));
    if (place->gpu)
        r = schema_bind(&binding, gpu_model_fields, place_node(place), "", gpu_model);
    (void)r;
    gpu_model_settle(gpu_model);
    problems_finish(&ignored);
}

bool override_place_states(const struct override_place *place, const char *key) {
    return !yaml_is_null(yaml_find(place_node(place), key));
}

/* group: a mapping of the GPU type that holds the key, or NULL. */
static void set_at(const struct override_place *place, const char *group, const char *key,
                   struct yaml_node *value) {
    struct yaml_step steps[MOST_STEPS] = {{.name = "models"}, {.index = place->model}};
    size_t count = 2;
    if (place->gpu) {
        steps[count++].name = "gpus";
        steps[count++].name = place->gpu;
    }
    if (group)
        steps[count++].name = group;
    steps[count++].name = key;
    const struct yaml_path path = {steps, count};
    const struct yaml_setting setting = {&path, value, value->where, place->arena};
    struct yaml_node *after = yaml_path_set(root_of(place)->node, &setting, NULL);
    assert(after); /* the place was found there */
    root_of(place)->node = after;
}

/* Whether it is held against other keys, which is said where their mapping stands. */
static bool is_one_of_several(const char *key) {
    static const char *const keys[] = {"p0_w",       "pmax_w",  "power",          "power_between",
                                       "lookup",     "batches", "global_batches", "phases",
                                       "unit",       "prompt",  "efficiency",     "sync_inter",
                                       "grad_accum", "serving", "most_batch"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(key, keys[i]) == 0)
            return true;
    return false;
}

void override_place_set(const struct override_place *place, const char *key,
                        struct yaml_node *value) {
    set_at(place, NULL, key, value);
    if (is_one_of_several(key))
        place_node(place)->where = value->where;
}

static struct yaml_node *new_text(const struct override_place *place, const char *text,
                                  struct location where) {
    struct yaml_node *node = arena_alloc(place->arena, sizeof *node);
    *node = (struct yaml_node){.kind = YAML_NODE_SCALAR,
                               .where = where,
                               .text = text,
                               .length = strlen(text),
                               .quoted = true};
    return node;
}

/* {others: word} */
static struct yaml_node *new_mapping(const struct override_place *place, struct yaml_node *word) {
    struct yaml_node *node = arena_alloc(place->arena, sizeof *node);
    *node = (struct yaml_node){.kind = YAML_NODE_MAPPING, .where = word->where, .count = 1};
    node->keys = arena_alloc(place->arena, sizeof *node->keys);
    node->items = arena_alloc(place->arena, sizeof *node->items);
    node->keys[0] = new_text(place, EVIDENCE_OTHERS, word->where);
    node->items[0] = word;
    return node;
}

static void record_one(const struct override_place *place, const char *parameter, const char *path,
                       struct location where) {
    const char *const said[][2] = {{"evidence", evidence_names[EVIDENCE_OVERRIDE]},
                                   {"source", path}};
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        struct yaml_node *now = yaml_find(place_node(place), said[i][0]);
        if (yaml_is_null(now) || now->kind == YAML_NODE_SEQUENCE)
            continue; /* told when the file is bound */
        if (now->kind == YAML_NODE_SCALAR)
            set_at(place, NULL, said[i][0], new_mapping(place, now));
        set_at(place, said[i][0], parameter, new_text(place, said[i][1], where));
    }
}

void override_place_record(const struct override_place *place, const char *parameter,
                           const char *path, struct location where) {
    /* What is not stated for several nodes is that within one. */
    static const char *const followers[][2] = {{"alpha_s", "alpha_inter_s"},
                                               {"beta_s", "beta_inter_s"}};
    record_one(place, parameter, path, where);
    for (size_t i = 0; i < sizeof followers / sizeof *followers; i++)
        if (strcmp(parameter, followers[i][0]) == 0 &&
            !override_place_states(place, followers[i][1]))
            record_one(place, followers[i][1], path, where);
}

const char *override_place_text(const struct override_place *place) {
    return place->gpu ? arena_printf(place->arena, "%s on %s", place->name, place->gpu)
                      : place->name;
}

/* --- override_entry --- */

#define OVERRIDE_ANY "*"

#define ANY           OVERRIDE_ANY
#define NAMED_SKIPPED 5

const struct field override_fields[] = {
    {LOCATION(override_entry, where)},
    {"model", TEXT(override_entry, model), DEFAULT_TEXT(ANY), HELP("name of a model, or *")},
    {"gpu", TEXT(override_entry, gpu), DEFAULT_TEXT(ANY), HELP("name of a GPU type, or *")},
    {"set", NODE(override_entry, set), REQUIRED,
     ONE_OF({"", .type = FIELD_SETTING, .fields = factor_fields,
             ONE_OF({"", OBJECT_FORM(derived_parameters)}, {"", OBJECT_FORM(model_fields)},
                    {"", OBJECT_FORM(gpu_model_fields)})}),
     HELP("PARAMETER: VALUE, or {times: X}, which multiplies what was there before")},
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
                            "expected no %s next to it, which it sets: another entry may follow",
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
    if (schema_bind(o->binding, override_fields, o->node, o->path, &o->entry) < 0)
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

/* --- override_effect --- */

#define PHASES "phases with their own"

static bool is_of_batches(const struct field *field, size_t allowed) {
    return field->offset >= allowed && field->offset < allowed + sizeof(struct batch_choice);
}

/* Why a parameter of a model on a GPU type decides nothing there; NULL: it does. */
const char *override_hidden_on_gpu(const struct model *m, const struct gpu_model *g,
                                   const struct field *field) {
    bool of_speed = field->offset >= offsetof(struct gpu_model, speed) &&
                    field->offset < offsetof(struct gpu_model, speed) + sizeof g->speed;
    bool of_power = field->offset >= offsetof(struct gpu_model, power) &&
                    field->offset < offsetof(struct gpu_model, power) + sizeof g->power;
    bool of_plans = field->offset >= offsetof(struct gpu_model, links) &&
                    field->offset < offsetof(struct gpu_model, plan_fit) + sizeof g->plan_fit;
    if (of_plans != m->is_transformer && (of_plans || of_speed))
        return of_plans ? "forms of a model that is no transformer" : "the plans of a transformer";
    bool by_table = field->offset == offsetof(struct gpu_model, speed.c_s)
                        ? g->lookup_speed && g->lookup_power /* power asks for it, too */
                        : (of_speed && g->lookup_speed) || (of_power && g->lookup_power);
    if (by_table)
        return "a lookup table";
    if (is_of_batches(field, offsetof(struct gpu_model, allowed)) &&
        model_phases_state(m, model_phase_states_batches))
        return PHASES;
    return of_power && g->power_form == POWER_TDP ? "power: tdp" : NULL;
}

/* The same of a parameter of a model as a whole. */
const char *override_hidden_in_model(const struct model *m, const struct field *field) {
    bool of_serving = field->offset >= offsetof(struct model, serving) &&
                      field->offset < offsetof(struct model, serving) + sizeof m->serving;
    bool of_phi = field->offset == offsetof(struct model, phi);
    bool of_noise = of_phi || field->offset == offsetof(struct model, m0);
    if (!m->gpus_node && !of_serving)
        return "serving tables alone";
    if (of_noise && m->efficiency == EFFICIENCY_NONE)
        return "efficiency: none";
    bool of_batches = is_of_batches(field, offsetof(struct model, allowed));
    return (of_phi && model_phases_state(m, model_phase_states_phi)) ||
                   (of_batches && model_phases_state(m, model_phase_states_batches))
               ? PHASES
               : NULL;
}
