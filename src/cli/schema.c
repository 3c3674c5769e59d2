/* easim schema: JSON Schema (2020-12) of configuration files, made of the field tables that read
   them. A value that takes a unit is a number or text of a pattern. What is said of several keys
   together is not in it. */
#include "cli/cli.h"
#include "cli/internal.h"
#include "experiment/sweep/claims.h"
#include "experiment/validate/load.h"
#include "ingest/formats.h"
#include "model/override_entry.h"
#include "output/json.h"

#include <math.h>

static void add_forms(cJSON *any, const struct field *field);

/* What a field takes, in one of several forms. */
static cJSON *schema_of(const struct field *field) {
    cJSON *any = cJSON_CreateArray();
    add_forms(any, field);
    int count = cJSON_GetArraySize(any);
    cJSON *out = count == 1 ? cJSON_DetachItemFromArray(any, 0) : cJSON_CreateObject();
    if (count > 1)
        cJSON_AddItemToObject(out, "anyOf", any);
    else
        cJSON_Delete(any);
    if (field->help)
        json_add_text(out, "description", field->help);
    return out;
}

static cJSON *add_type(cJSON *any, const char *type) {
    cJSON *out = json_append_object(any);
    json_add_text(out, "type", type);
    return out;
}

static void add_number(cJSON *any, const struct field *field) {
    cJSON *out = add_type(any, field->type == FIELD_INT ? "integer" : "number");
    bool bounded = field->min != 0 || field->max != 0;
    if (bounded && isfinite(field->min))
        json_add_real(out, field->above_min ? "exclusiveMinimum" : "minimum", field->min);
    if (bounded && isfinite(field->max))
        json_add_real(out, field->below_max ? "exclusiveMaximum" : "maximum", field->max);
    struct str pattern = {0};
    if (schema_dimension(field) != DIMENSION_NONE) {
        units_add_pattern(schema_dimension(field), !bounded || field->min < 0, &pattern);
        json_add_text(add_type(any, "string"), "pattern", pattern.text);
    }
    if (field->word)
        json_add_text(add_type(any, "string"), "const", field->word);
    str_finish(&pattern);
}

/* Of any text or of some words. What looks like a number or true is text, too. */
static void add_text(cJSON *any, const struct field *field) {
    static const char *const types[] = {"string", "number", "boolean"};
    cJSON *out = json_append_object(any), *words = cJSON_CreateArray();
    for (const char *const *word = field->choices; word && *word; word++)
        cJSON_AddItemToArray(words, cJSON_CreateString(*word));
    for (size_t i = 0; field->choices == trace_own_formats && ingest_readers[i]; i++)
        cJSON_AddItemToArray(words, cJSON_CreateString(ingest_readers[i]->name));
    cJSON_AddItemToObject(out, field->choices ? "enum" : "type",
                          field->choices ? words : cJSON_CreateStringArray(types, 3));
    if (!field->choices)
        cJSON_Delete(words);
    if (field->type == FIELD_PATH || field->min > 0)
        json_add_int(out, "minLength", 1);
}

static void add_list(cJSON *any, cJSON *items, bool may_be_empty) {
    cJSON *out = add_type(any, "array");
    cJSON_AddItemToObject(out, "items", items);
    json_add_int(out, "minItems", !may_be_empty);
}

static void add_default(cJSON *out, const struct field *field) {
    double value = field->default_value;
    bool number = field->type <= FIELD_INT;
    if (field->type == FIELD_BOOL)
        json_add_flag(out, "default", value != 0);
    else if (field->type == FIELD_CHOICE && value >= 0)
        json_add_text(out, "default", field->choices[(size_t)value]);
    else if (field->default_text)
        json_add_text(out, "default", field->default_text);
    else if (number && field->word && value == INFINITY)
        json_add_text(out, "default", field->word);
    else if (number && isfinite(value) && schema_takes(field, value))
        json_add_real(out, "default", value);
}

/* others: rows of keys that the table leaves to rooms above; or NULL. */
static void add_keys(cJSON *out, const struct field *fields, const struct field *others) {
    json_add_text(out, "type", "object");
    cJSON *keys = cJSON_AddObjectToObject(out, "properties");
    cJSON *required = cJSON_AddArrayToObject(out, "required");
    for (const struct field *f = fields; f->key || f->type == FIELD_LOCATION; f++) {
        if (!f->key || cJSON_GetObjectItem(keys, f->key))
            continue; /* a second row notes only that the key is given */
        struct field row = *f;
        for (const struct field *o = others; o && o->key; o++)
            if (f->type == FIELD_NODE && strcmp(o->key, f->key) == 0)
                row = *o;
        row.help = f->help;
        cJSON_AddItemToObject(keys, f->key, schema_of(&row));
        if (f->required && !f->unless)
            cJSON_AddItemToArray(required, cJSON_CreateString(f->key));
        else
            add_default(cJSON_GetObjectItem(keys, f->key), f);
    }
    cJSON_AddFalseToObject(out, "additionalProperties");
}

static cJSON *object_of(const struct field *fields) {
    cJSON *out = cJSON_CreateObject();
    add_keys(out, fields, NULL);
    return out;
}

/* Keys of model_overrides: those of the tables that decide something. Without a value: uncertainty
   sets it. */
static void add_settings(cJSON *all, const struct field *field) {
    cJSON *out = add_type(all, "object"), *keys = cJSON_AddObjectToObject(out, "properties");
    for (const struct field *table = field->forms; table->key; table++)
        for (const struct field *f = table->fields; f->key || f->type == FIELD_LOCATION; f++) {
            if (!f->key || f->record || cJSON_GetObjectItem(keys, f->key))
                continue;
            cJSON *key = cJSON_AddObjectToObject(keys, f->key);
            cJSON *any = cJSON_AddArrayToObject(key, "anyOf");
            add_forms(any, f);
            json_add_text(key, "description", f->help);
            add_type(any, "null");
            if (f->type <= FIELD_INT || f->type == FIELD_REALS)
                cJSON_AddItemToArray(any, object_of(field->fields));
        }
    cJSON_AddFalseToObject(out, "additionalProperties");
}

static void add_forms(cJSON *any, const struct field *field) {
    const struct field values = {.type = FIELD_NODE, .forms = field->forms};
    struct field item = *field;
    item.help = NULL;
    switch (field->type) {
    case FIELD_BOOL:
        add_type(any, "boolean");
        break;
    case FIELD_CHOICE:
    case FIELD_STRING:
    case FIELD_PATH:
        add_text(any, field);
        break;
    case FIELD_OBJECTS:
        add_list(any, object_of(field->fields), field->may_be_empty);
        break;
    case FIELD_REALS:
    case FIELD_INTS:
    case FIELD_STRINGS: /* one stands for a list of one */
        item.type = field->type == FIELD_REALS  ? FIELD_REAL
                    : field->type == FIELD_INTS ? FIELD_INT
                                                : FIELD_STRING;
        add_forms(any, &item);
        add_list(any, schema_of(&item), false);
        break;
    case FIELD_LIST:
        add_list(any, schema_of(&values), field->may_be_empty);
        break;
    case FIELD_MAPPING:
        cJSON_AddItemToObject(add_type(any, "object"), "additionalProperties", schema_of(&values));
        break;
    case FIELD_SETTING:
        add_settings(any, field);
        break;
    case FIELD_OBJECT:
    case FIELD_NODE:
        if (field->fields)
            cJSON_AddItemToArray(any, object_of(field->fields));
        if (field->fields && field->max == 1)
            json_add_int(cJSON_GetArrayItem(any, cJSON_GetArraySize(any) - 1), "maxProperties", 1);
        for (const struct field *form = field->forms; form && form->key; form++)
            add_forms(any, form);
        break;
    default:
        add_number(any, field);
    }
}

/* Sections that rooms above config bind. */
static const struct field sections[] = {
    {"cluster", OBJECT_FORM(cluster_fields)},
    {"models", .type = FIELD_NODE, .forms = models_forms},
    {"model_overrides", .type = FIELD_OBJECTS, .fields = override_fields},
    {"workload", .type = FIELD_NODE, .forms = workload_forms},
    FIELDS_END};

int cli_schema(struct options *options) {
    static const struct {
        const char *name;
        const struct field *fields, *others;
    } kinds[] = {{"scenario", scenario_fields, sections},
                 {"models", model_file_fields, NULL},
                 {"sweep", sweep_fields, claims_fields},
                 {"validation", validate_fields, NULL}};
    const char *name = options->operands[0];
    struct str text = {0};
    struct error error = {0};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(name, kinds[i].name) == 0) {
            cJSON *root = cJSON_CreateObject();
            json_add_text(root, "$schema", "https://json-schema.org/draft/2020-12/schema");
            json_add_text(root, "title", name);
            add_keys(root, kinds[i].fields, kinds[i].others);
            json_print(root, &text);
        }
    if (text.length == 0)
        options_refuse(options, "expected scenario, models, sweep or validation, got \"%s\"", name);
    int code = cli_print(&text, &error) < 0 ? cli_report_error(&error) : EXIT_DONE;
    str_finish(&text);
    return code;
}
