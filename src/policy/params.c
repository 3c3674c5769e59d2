/* Binding of policy parameters. */
#include "policy/params.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const enum field_type field_types[] = {[EASIM_PARAM_REAL] = FIELD_REAL,
                                              [EASIM_PARAM_DURATION] = FIELD_DURATION,
                                              [EASIM_PARAM_INT] = FIELD_INT,
                                              [EASIM_PARAM_BOOL] = FIELD_BOOL,
                                              [EASIM_PARAM_CHOICE] = FIELD_CHOICE};

static void set_default(const struct easim_param *p, void *target) {
    switch (p->type) {
    case EASIM_PARAM_INT:
        *(int64_t *)target = (int64_t)p->default_value;
        break;
    case EASIM_PARAM_BOOL:
        *(bool *)target = p->default_value != 0;
        break;
    case EASIM_PARAM_CHOICE:
        *(int32_t *)target = (int32_t)p->default_value;
        break;
    default:
        *(double *)target = p->default_value;
    }
}

static int bind_param(const struct easim_param *p, const struct yaml_node *node, const char *path,
                      const struct binding *b, void *target) {
    const struct field field = {.key = p->name,
                                .type = field_types[p->type],
                                .may_be_off = p->may_be_off,
                                .min = p->min,
                                .max = p->max,
                                .choices = p->choices};
    return schema_bind_value(b, &field, node, path, target);
}

static int report_unknown(const struct easim_policy *policy, const struct yaml_node *key, const char *path,
                          const struct binding *b) {
    const char **names = mem_zalloc(policy->param_count + 1, sizeof *names);
    for (uint32_t i = 0; i < policy->param_count; i++)
        names[i] = policy->params[i].name;
    problems_add(b->problems, key->where, path, "policy %s has no parameter \"%.80s\"%s", policy->name, key->text,
                 str_suggestion(b->arena, key->text, names, policy->param_count));
    free(names);
    return ERROR_INPUT;
}

void params_set_defaults(const struct easim_policy *policy, void *params) {
    for (uint32_t i = 0; i < policy->param_count; i++)
        set_default(&policy->params[i], (char *)params + policy->params[i].offset);
}

int params_bind(const struct easim_policy *policy, const struct yaml_node *node, const char *path,
                const struct binding *b, void *params) {
    if (!node || yaml_is_null(node))
        return 0;
    if (node->kind != YAML_NODE_MAPPING)
        return schema_wrong(b, node, path, "a mapping of parameters to values");
    int result = 0;
    for (size_t i = 0; i < node->count; i++) {
        const struct easim_param *found = NULL;
        for (uint32_t j = 0; j < policy->param_count && !found; j++)
            if (strcmp(policy->params[j].name, node->keys[i]->text) == 0)
                found = &policy->params[j];
        int r = found ? bind_param(found, node->items[i], arena_printf(b->arena, "%s.%s", path, found->name), b,
                                   (char *)params + found->offset)
                      : report_unknown(policy, node->keys[i], path, b);
        result = r < 0 ? r : result;
    }
    return result;
}

void params_write_value(const struct easim_param *p, const void *params, struct str *out) {
    const void *at = (const char *)params + p->offset;
    if (p->type == EASIM_PARAM_BOOL)
        str_add(out, *(const bool *)at ? "true" : "false");
    else if (p->type == EASIM_PARAM_INT)
        str_add_int(out, *(const int64_t *)at);
    else if (p->type == EASIM_PARAM_CHOICE)
        str_add(out, p->choices[*(const int32_t *)at]);
    else if (*(const double *)at == EASIM_OFF)
        str_add(out, "off");
    else
        str_add_real(out, *(const double *)at);
}

void params_write_range(const struct easim_param *p, struct str *out) {
    static const char *const nouns[] = {"number", "duration", "integer", "true or false", "one of "};
    str_add(out, nouns[p->type]);
    if (p->type == EASIM_PARAM_CHOICE)
        for (size_t i = 0; p->choices[i]; i++)
            str_addf(out, "%s%s", i ? " | " : "", p->choices[i]);
    else if (p->type != EASIM_PARAM_BOOL) {
        str_add_char(out, ' ');
        str_add_real(out, p->min);
        str_add(out, "..");
        str_add_real(out, p->max);
    }
    if (p->may_be_off)
        str_add(out, " or off");
}
