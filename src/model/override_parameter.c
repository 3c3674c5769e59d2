/* Which parameters there are is said by the field tables of model files alone. */
#include "model/override_parameter.h"

#include "io/yaml_node.h"

#include <math.h>
#include <string.h>

/* By enum derived_parameter, without DERIVED_NONE. */
static const struct field derived_parameters[] = {
    {.key = "scaling_efficiency",
     .type = FIELD_REAL,
     .above_min = true,
     .max = 1,
     .help = "sets alpha_s: r(k)/(k r(1)) of the k GPUs of the type's largest node, at the largest "
             "of batches"},
    {.key = "p0_share",
     .type = FIELD_REAL,
     .above_min = true,
     .max = 1,
     .help = "sets p0_w: a share of pmax_w"},
    FIELDS_END};

struct factor {
    double times;
};

static const struct field factor_fields[] = {{.key = "times",
                                              .type = FIELD_REAL,
                                              .offset = offsetof(struct factor, times),
                                              .required = true,
                                              .max = INFINITY},
                                             FIELDS_END};

/* ---- Names ---- */

#define MOST_NAMES 128

static const struct field *field_named(const struct field *fields, const char *name) {
    for (const struct field *f = fields; f->key || f->type == FIELD_LOCATION; f++)
        if (f->key && strcmp(f->key, name) == 0)
            return f;
    return NULL;
}

const struct field *override_gpu_field(const char *key) {
    return field_named(gpu_model_fields, key);
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
    const struct field *of_model = field_named(model_fields, key->text);
    const struct field *of_gpu = field_named(gpu_model_fields, key->text);
    const struct field *derived = field_named(derived_parameters, key->text);
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

int override_value_bind(struct override_value *value, const struct yaml_node *key,
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
