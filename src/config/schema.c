/* Table-driven binding of YAML to structs. Invariant: every problem names file, line, column and
 * dotted path. */
#include "config/schema.h"

#include "base/machine.h"
#include "base/numfmt.h"
#include "io/yaml_node.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *node_kind_name(const struct yaml_node *node) {
    static const char *const names[] = {"a value", "a list", "a mapping"};
    static const char *const empty_names[] = {"a value", "an empty list", "an empty mapping"};
    return node->count == 0 ? empty_names[node->kind] : names[node->kind];
}

int schema_wrong(const struct binding *binding, const struct yaml_node *node, const char *path,
                 const char *expected) {
    char hint[UNITS_HINT_BYTES];
    if (node->kind == YAML_NODE_SCALAR)
        problems_add(binding->problems, node->where, path, "expected %s, got \"%.80s\"%s", expected,
                     node->text,
                     strstr(expected, "duration") ? units_time_hint(node->text, hint) : "");
    else
        problems_add(binding->problems, node->where, path, "expected %s, got %s", expected,
                     node_kind_name(node));
    return ERROR_INPUT;
}

/* "number > 0", "integer 1..8", "duration >= 0": the numbers that a field accepts. */
static const char *describe_numbers(struct arena *arena, const struct field *field,
                                    const char *noun) {
    char low[NUMFMT_BYTES] = "", high[NUMFMT_BYTES] = "";
    if (field->min == 0 && field->max == 0)
        return noun;
    if (isfinite(field->min))
        numfmt_real(low, field->min);
    if (isfinite(field->max))
        numfmt_real(high, field->max);
    if (low[0] && high[0] && !field->above_min && !field->below_max)
        return arena_printf(arena, "%s %s..%s", noun, low, high);
    if (low[0] && high[0])
        return arena_printf(arena, "%s %s %s and %s %s", noun, field->above_min ? ">" : ">=", low,
                            field->below_max ? "<" : "<=", high);
    if (low[0])
        return arena_printf(arena, "%s %s %s", noun, field->above_min ? ">" : ">=", low);
    return high[0] ? arena_printf(arena, "%s <= %s", noun, high) : noun;
}

static const char *describe_range(struct arena *arena, const struct field *field,
                                  const char *noun) {
    const char *numbers = describe_numbers(arena, field, noun);
    return field->word ? arena_printf(arena, "%s, or %s", numbers, field->word) : numbers;
}

bool schema_takes(const struct field *field, double value) {
    if (field->min == 0 && field->max == 0)
        return isfinite(value);
    return (field->below_max ? value < field->max : value <= field->max) &&
           (field->above_min ? value > field->min : value >= field->min);
}

enum dimension schema_dimension(const struct field *field) {
    return field->type == FIELD_DURATION ? DIMENSION_TIME
           : field->type == FIELD_GIB    ? DIMENSION_GIB
                                         : field->dimension;
}

static const char *noun_of(const struct field *field) {
    return field->type == FIELD_DURATION ? "duration such as 90s or 10h"
           : field->type == FIELD_GIB    ? "size in GiB"
                                         : "number";
}

static int bind_number(const struct binding *binding, const struct field *field,
                       const struct yaml_node *node, const char *path, double *value) {
    enum dimension dimension = schema_dimension(field);
    bool parsed = false;
    if (field->word && node->kind == YAML_NODE_SCALAR && strcmp(node->text, field->word) == 0) {
        *value = INFINITY;
        return 0;
    }
    if (node->kind == YAML_NODE_SCALAR)
        parsed = units_parse(dimension, node->text, node->length, value);
    if (parsed && schema_takes(field, *value) &&
        (field->type != FIELD_DURATION || fabs(*value) <= TIME_MAX_S))
        return 0;
    const char *expected = describe_range(binding->arena, field, noun_of(field));
    bool wrong_unit =
        !parsed && node->kind == YAML_NODE_SCALAR && units_is_other(node->text, node->length);
    if (wrong_unit && dimension != DIMENSION_NONE)
        expected =
            arena_printf(binding->arena, "%s (units: %s)", expected, units_accepted(dimension));
    return schema_wrong(binding, node, path, expected);
}

/* Bounds are doubles: 2^53 + 1 would pass as 2^53. */
static bool is_exact(int64_t value) {
    return (long double)value == (double)value;
}

static int bind_int(const struct binding *binding, const struct field *field,
                    const struct yaml_node *node, const char *path, int64_t *value) {
    if (node->kind != YAML_NODE_SCALAR || !numfmt_parse_int(node->text, node->length, value) ||
        !schema_takes(field, (double)*value) || !is_exact(*value))
        return schema_wrong(binding, node, path, describe_range(binding->arena, field, "integer"));
    return 0;
}

static int bind_bool(const struct binding *binding, const struct yaml_node *node, const char *path,
                     bool *value) {
    if (node->kind == YAML_NODE_SCALAR && strcmp(node->text, "true") == 0)
        *value = true;
    else if (node->kind == YAML_NODE_SCALAR && strcmp(node->text, "false") == 0)
        *value = false;
    else
        return schema_wrong(binding, node, path, "true or false");
    return 0;
}

static int bind_choice(const struct binding *binding, const struct field *field,
                       const struct yaml_node *node, const char *path, int32_t *value) {
    struct str expected = {0};
    for (int32_t i = 0; field->choices[i]; i++) {
        if (node->kind == YAML_NODE_SCALAR && strcmp(node->text, field->choices[i]) == 0) {
            *value = i;
            str_finish(&expected);
            return 0;
        }
        str_addf(&expected, "%s%s", i ? " | " : "one of ", field->choices[i]);
    }
    int r = schema_wrong(binding, node, path, expected.text);
    str_finish(&expected);
    return r;
}

/* Replaces every ${VAR} of text; false after a problem. */
static bool expand_variables(const struct binding *binding, const struct yaml_node *node,
                             const char *path, struct str *out) {
    const char *at = node->text;
    for (const char *start; (start = strstr(at, "${")) != NULL;) {
        const char *end = strchr(start, '}');
        if (!end) {
            (void)schema_wrong(binding, node, path, "a closing } after ${");
            return false;
        }
        const char *name = arena_strndup(binding->arena, start + 2, (size_t)(end - start - 2));
        const char *value = getenv(name);
        if (!value) {
            problems_add(binding->problems, node->where, path, "environment variable %s is not set",
                         name);
            return false;
        }
        str_add_bytes(out, at, (size_t)(start - at));
        str_add(out, value);
        at = end + 1;
    }
    str_add(out, at);
    return true;
}

const char *schema_path(const struct binding *binding, const struct yaml_node *node,
                        const char *path) {
    if (node->kind != YAML_NODE_SCALAR || node->length == 0) {
        (void)schema_wrong(binding, node, path, "a file name");
        return NULL;
    }
    struct str name = {0};
    const char *result = NULL;
    if (expand_variables(binding, node, path, &name)) {
        /* A value given on the command line stands for the place where the command was typed. */
        const char *slash = node->where.line ? strrchr(node->where.file, '/') : NULL;
        result = slash && name.text[0] != '/'
                     ? arena_printf(binding->arena, "%.*s/%s", (int)(slash - node->where.file),
                                    node->where.file, name.text)
                     : arena_strdup(binding->arena, name.text);
        if (binding->uses) {
            struct file_use use = {.node = node, .key = path, .path = result};
            file_stamp_take(result, &use.stamp);
            array_push(&binding->uses->files, use);
        }
    }
    str_finish(&name);
    return result;
}

bool schema_can_read(const struct binding *binding, const char *file) {
    struct location where = {0};
    const char *key = NULL;
    if (access(file, R_OK) == 0)
        return true;
    int code = errno;
    machine_check(code, file, "open");
    for (size_t i = 0; binding->uses && i < binding->uses->files.count; i++)
        if (strcmp(binding->uses->files.at[i].path, file) == 0) {
            where = binding->uses->files.at[i].node->where;
            key = binding->uses->files.at[i].key;
        }
    problems_add(binding->problems, where, key, "%s: cannot open: %s", file, strerror(code));
    return false;
}

void schema_note_text(const struct binding *binding, const struct yaml_node *node) {
    if (binding->uses && !node->quoted && !yaml_is_plain(node->text))
        array_push(&binding->uses->texts, node);
}

const struct yaml_node *schema_known_content(const struct binding *binding, const char *path) {
    const struct schema_uses *read = binding->uses ? binding->uses->read : NULL;
    for (size_t i = 0; read && i < read->files.count; i++)
        if (read->files.at[i].content && strcmp(read->files.at[i].path, path) == 0)
            return read->files.at[i].content;
    return NULL;
}

void schema_uses_finish(struct schema_uses *uses) {
    free(uses->files.at);
    free(uses->texts.at);
}

static int bind_text(const struct binding *binding, const struct field *field,
                     const struct yaml_node *node, const char *path, const char **value) {
    if (field->type == FIELD_PATH) {
        const char *found = schema_path(binding, node, path);
        if (!found)
            return ERROR_INPUT;
        *value = found;
        return 0;
    }
    bool is_null = yaml_is_null(node); /* an item of a list: a key with a null counts as absent */
    if (node->kind != YAML_NODE_SCALAR || is_null || (node->length == 0 && field->min > 0))
        return schema_wrong(binding, node, path, "text");
    schema_note_text(binding, node);
    *value = node->text;
    return 0;
}

int schema_bind_value(const struct binding *binding, const struct field *field,
                      const struct yaml_node *node, const char *path, void *out) {
    switch (field->type) {
    case FIELD_REAL:
    case FIELD_DURATION:
    case FIELD_GIB: {
        double value = 0;
        int r = bind_number(binding, field, node, path, &value);
        if (r == 0)
            *(double *)out = value;
        return r;
    }
    case FIELD_INT: {
        int64_t value = 0;
        int r = bind_int(binding, field, node, path, &value);
        if (r == 0)
            *(int64_t *)out = value;
        return r;
    }
    case FIELD_BOOL:
        return bind_bool(binding, node, path, out);
    case FIELD_CHOICE:
        return bind_choice(binding, field, node, path, out);
    case FIELD_STRING:
    case FIELD_PATH:
        return bind_text(binding, field, node, path, out);
    default:
        *(const struct yaml_node **)out = node;
        return 0;
    }
}

/* The path of a key, or of an item, below `path`: there is one for each value of a file. */
static const char *path_below(const struct binding *binding, const char *path, const char *dot,
                              const char *name, size_t bytes, const char *end) {
    size_t length = strlen(path), dots = strlen(dot), ends = strlen(end) + 1;
    char *text = arena_alloc(binding->arena, length + dots + bytes + ends), *at = text + length;
    memcpy(text, path, length);
    memcpy(at, dot, dots);
    memcpy(at + dots, name, bytes);
    memcpy(at + dots + bytes, end, ends);
    return text;
}

static const char *path_of_key(const struct binding *binding, const char *path, const char *key) {
    return path[0] ? path_below(binding, path, ".", key, strlen(key), "") : key;
}

static const char *path_of_item(const struct binding *binding, const char *path, size_t item) {
    char number[NUMFMT_BYTES];
    return path_below(binding, path, "[", number, numfmt_int(number, (int64_t)item), "]");
}

/* A list of scalars; one scalar stands for a list of one. */
static int bind_scalars(const struct binding *binding, const struct field *field,
                        const struct yaml_node *node, const char *path, struct schema_list *list) {
    struct field item = *field;
    item.type = field->type == FIELD_REALS  ? FIELD_REAL
                : field->type == FIELD_INTS ? FIELD_INT
                                            : FIELD_STRING;
    bool single = node->kind == YAML_NODE_SCALAR;
    size_t count = single ? 1 : node->count;
    if (node->kind == YAML_NODE_MAPPING || count == 0)
        return schema_wrong(binding, node, path, "a list of at least one value");
    size_t size = item.type == FIELD_STRING ? sizeof(const char *) : sizeof(double);
    int result = 0;
    list->at = arena_alloc(binding->arena, count * size);
    list->count = count;
    for (size_t i = 0; i < count; i++) {
        const char *item_path = single ? path : path_of_item(binding, path, i);
        if (schema_bind_value(binding, &item, single ? node : node->items[i], item_path,
                              (char *)list->at + i * size) < 0)
            result = ERROR_INPUT;
    }
    return result;
}

static int bind_objects(const struct binding *binding, const struct field *field,
                        const struct yaml_node *node, const char *path, struct schema_list *list) {
    if (node->kind != YAML_NODE_SEQUENCE || (node->count == 0 && !field->may_be_empty))
        return schema_wrong(binding, node, path, "a list of mappings");
    int result = 0;
    list->at = arena_alloc(binding->arena, node->count * field->item_size);
    list->count = node->count;
    for (size_t i = 0; i < node->count; i++)
        if (schema_bind(binding, field->fields, node->items[i], path_of_item(binding, path, i),
                        (char *)list->at + i * field->item_size) < 0)
            result = ERROR_INPUT;
    return result;
}

static int bind_field(const struct binding *binding, const struct field *field,
                      const struct yaml_node *node, const char *path, void *out) {
    switch (field->type) {
    case FIELD_OBJECT:
        return schema_bind(binding, field->fields, node, path, out);
    case FIELD_OBJECTS:
        return bind_objects(binding, field, node, path, out);
    case FIELD_REALS:
    case FIELD_INTS:
    case FIELD_STRINGS:
        return bind_scalars(binding, field, node, path, out);
    default:
        return schema_bind_value(binding, field, node, path, out);
    }
}

void schema_set_default(const struct field *field, void *out) {
    switch (field->type) {
    case FIELD_REAL:
    case FIELD_DURATION:
    case FIELD_GIB:
        *(double *)out = field->default_value;
        break;
    case FIELD_INT:
        *(int64_t *)out = (int64_t)field->default_value;
        break;
    case FIELD_COUNT:
        *(uint32_t *)out = (uint32_t)field->default_value;
        break;
    case FIELD_BOOL:
        *(bool *)out = field->default_value != 0;
        break;
    case FIELD_CHOICE:
        *(int32_t *)out = (int32_t)field->default_value;
        break;
    case FIELD_STRING:
    case FIELD_PATH:
        *(const char **)out = field->default_text;
        break;
    default:
        break;
    }
}

/* An object that is absent has all its defaults. */
static int set_default(const struct binding *binding, const struct field *field, void *out) {
    if (field->type == FIELD_OBJECT)
        return schema_bind(binding, field->fields, NULL, "", out);
    schema_set_default(field, out);
    return 0;
}

#define MOST_FIELDS 128 /* of a mapping */

static size_t count_fields(const struct field *fields) {
    size_t count = 0;
    while (fields[count].key || fields[count].type == FIELD_LOCATION)
        count++;
    assert(count <= MOST_FIELDS);
    return count;
}

static int report_unknown_key(const struct binding *binding, const struct field *fields,
                              const struct yaml_node *key, const char *path) {
    const char *names[MOST_FIELDS];
    size_t count = 0, all = count_fields(fields);
    for (size_t f = 0; f < all; f++)
        if (fields[f].key)
            names[count++] = fields[f].key;
    return problems_add(binding->problems, key->where, path, "unknown key \"%.80s\"%s", key->text,
                        str_suggestion(binding->arena, key->text, names, count));
}

static bool has_key(const struct field *field, const char *key) {
    return field->key && field->key[0] == key[0] && strcmp(field->key, key) == 0;
}

/* What a mapping has for each field, or NULL. Keys mostly are in the order of the fields, so that
   each is looked for from the one before on. */
static int find_values(const struct binding *binding, const struct field *fields, size_t count,
                       const struct yaml_node *node, const char *path,
                       const struct yaml_node *ret[]) {
    int result = 0;
    for (size_t i = 0, f = 0; i < node->count; i++) {
        const char *key = node->keys[i]->text;
        size_t tried = 0;
        f = f < count ? f : 0;
        for (; tried < count && !has_key(&fields[f], key); tried++)
            f = f + 1 < count ? f + 1 : 0;
        if (tried == count && report_unknown_key(binding, fields, node->keys[i], path) < 0)
            result = ERROR_INPUT;
        for (; tried < count && f < count && has_key(&fields[f], key); f++)
            ret[f] = yaml_is_null(node->items[i]) ? NULL : node->items[i];
    }
    return result;
}

int schema_bind(const struct binding *binding, const struct field *fields,
                const struct yaml_node *node, const char *path, void *out) {
    const struct yaml_node *values[MOST_FIELDS];
    const char *own_path = path[0] ? path : NULL;
    size_t count = count_fields(fields);
    memset(values, 0, count * sizeof *values);
    if (node && node->kind != YAML_NODE_MAPPING)
        return schema_wrong(binding, node, own_path, "a mapping of keys to values");
    int result = node ? find_values(binding, fields, count, node, own_path, values) : 0;
    for (size_t i = 0; i < count; i++) {
        const struct field *f = &fields[i];
        void *target = (char *)out + f->offset;
        if (f->type == FIELD_LOCATION) {
            if (node)
                *(struct location *)target = node->where;
            continue;
        }
        if (set_default(binding, f, target) < 0)
            result = ERROR_INPUT;
        if (values[i]) {
            if (bind_field(binding, f, values[i], path_of_key(binding, path, f->key), target) < 0)
                result = ERROR_INPUT;
        } else if (f->required && node && !(f->unless && yaml_find(node, f->unless))) {
            result = problems_add(binding->problems, node->where, own_path, "key \"%s\" is missing",
                                  f->key);
        }
    }
    return result;
}

/* Of values of 8 bytes. */
static void sort_values(struct schema_list *list, int (*compare)(const void *, const void *)) {
    const size_t size = sizeof(double);
    char *values = list->at;
    size_t kept = 0;
    if (list->count > 0)
        qsort(values, list->count, size, compare);
    for (size_t i = 0; i < list->count; i++)
        if (kept == 0 || compare(values + i * size, values + (kept - 1) * size) != 0)
            memmove(values + kept++ * size, values + i * size, size);
    list->count = kept;
}

void schema_sort_ints(struct schema_list *list) {
    sort_values(list, by_int64);
}

void schema_sort_reals(struct schema_list *list) {
    sort_values(list, by_real);
}
