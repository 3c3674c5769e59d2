/* Binding of policy parameters. */
#include "policy/params.h"

#include "base/mem.h"
#include "policy/param_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const enum field_type field_types[] = {
    [EASIM_PARAM_REAL] = FIELD_REAL,     [EASIM_PARAM_DURATION] = FIELD_DURATION,
    [EASIM_PARAM_INT] = FIELD_INT,       [EASIM_PARAM_BOOL] = FIELD_BOOL,
    [EASIM_PARAM_CHOICE] = FIELD_CHOICE, [EASIM_PARAM_TEXT] = FIELD_STRING,
    [EASIM_PARAM_TABLE] = FIELD_PATH};

/* What the host adds to list policies. */
static const struct easim_param list_params[] = {
    {"strict", "", "stop at the first job that cannot start now", EASIM_PARAM_BOOL,
     offsetof(struct list_options, strict), 0, 1, 0, false, NULL, EASIM_ROLE_NONE},
    {"resize", "", "when no job waits, running jobs may move to a better configuration",
     EASIM_PARAM_BOOL, offsetof(struct list_options, resize), 0, 1, 0, false, NULL,
     EASIM_ROLE_NONE},
    {"shrink", "", "with resize, when jobs wait: running jobs may give GPUs back", EASIM_PARAM_BOOL,
     offsetof(struct list_options, shrink), 0, 1, 0, false, NULL, EASIM_ROLE_NONE},
    {"resize_gain", "", "share of what is left that a resize must save", EASIM_PARAM_REAL,
     offsetof(struct list_options, resize_gain), 0, 1, 0.1, false, NULL, EASIM_ROLE_NONE},
    {"resize_interval_s", "s", "least time between two resizes of a job", EASIM_PARAM_DURATION,
     offsetof(struct list_options, resize_interval_s), 0, 1e9, 300, false, NULL, EASIM_ROLE_NONE},
    {"round_s", "s", "decisions at its multiples only, at which all jobs compete again",
     EASIM_PARAM_DURATION, offsetof(struct list_options, round_s), 10, 1e6, EASIM_OFF, true, NULL,
     EASIM_ROLE_ROUND},
    {"half_life_s", "s", "usage this long ago counts half", EASIM_PARAM_DURATION,
     offsetof(struct list_options, half_life_s), 1e-3, 1e9, EASIM_OFF, true, NULL, EASIM_ROLE_NONE},
};

#define LIST_PARAM_COUNT (sizeof list_params / sizeof *list_params)

/* What the host adds to every policy that declares FREQUENCY; the last of its parameters. */
static const struct easim_param power_limits_param = {
    "power_limits",
    "",
    "configurations may have power limits: measured ones, else by limit_law of the GPU type",
    EASIM_PARAM_BOOL,
    offsetof(struct policy_params, power_limits),
    0,
    1,
    0,
    false,
    NULL,
    EASIM_ROLE_LIMITS};

/* In rounds jobs are chosen before room is made for them: not with a policy that refuses starts as
   they come, or makes room itself. */
static bool may_have_rounds(const struct easim_policy *policy) {
    return !policy->list->allow_start && !policy->list->allow_resize && !policy->list->make_room &&
           !policy->list->displace && !policy->list->level &&
           !(policy->capabilities & EASIM_CAPABILITY_POWER_CAP);
}

/* half_life_s only where a user_factor asks for usage. */
static bool list_param_is_for(const struct easim_param *param, const struct easim_policy *policy) {
    return param->offset == offsetof(struct list_options, round_s) ? may_have_rounds(policy)
           : param->offset == offsetof(struct list_options, half_life_s)
               ? policy->list->user_factor != NULL
               : true;
}

/* The list parameter of a policy with that number among its list parameters; NULL: it has fewer. */
static const struct easim_param *list_param_at(const struct easim_policy *policy, size_t index) {
    for (size_t i = 0; policy->list && i < LIST_PARAM_COUNT; i++)
        if (list_param_is_for(&list_params[i], policy) && index-- == 0)
            return &list_params[i];
    return NULL;
}

static size_t list_param_count(const struct easim_policy *policy) {
    size_t count = 0;
    while (list_param_at(policy, count))
        count++;
    return count;
}

const struct param_role *params_role(uint32_t role) {
    static const struct param_role roles[] = {
        [EASIM_ROLE_LIMITS] = {"limits", EASIM_PARAM_BOOL, EASIM_CAPABILITY_FREQUENCY},
        [EASIM_ROLE_SERVICES] = {"services", EASIM_PARAM_BOOL, CAPABILITY_SERVICES},
        [EASIM_ROLE_ROUND] = {"round", EASIM_PARAM_DURATION, 0},
        [EASIM_ROLE_MARGINAL] = {"marginal", EASIM_PARAM_CHOICE, 0},
        [EASIM_ROLE_CAP] = {"cap", EASIM_PARAM_BOOL, EASIM_CAPABILITY_POWER_CAP},
        [EASIM_ROLE_SHARES] = {"shares", EASIM_PARAM_BOOL, EASIM_CAPABILITY_FRACTIONAL_GPU},
        [EASIM_ROLE_AGEING] = {"ageing", EASIM_PARAM_DURATION, 0},
        [EASIM_ROLE_DISPLACE] = {"displace", EASIM_PARAM_DURATION, 0},
        [EASIM_ROLE_CALM] = {"calm", EASIM_PARAM_INT, 0},
        [EASIM_ROLE_URGENT] = {"urgent", EASIM_PARAM_CHOICE, 0}};
    return role < sizeof roles / sizeof *roles && roles[role].name ? &roles[role] : NULL;
}

/* The number of that parameter; that of its parameters: it has none. */
static size_t switch_of(const struct easim_policy *policy, uint32_t capability) {
    size_t i = 0;
    for (; i < policy->param_count; i++) {
        const struct param_role *role = params_role(policy->params[i].role);
        if (role && role->capability == capability)
            break;
    }
    return i;
}

/* The host's parameter power_limits, unless the policy has one. */
static bool has_frequency_option(const struct easim_policy *policy) {
    return (policy->capabilities & EASIM_CAPABILITY_FREQUENCY) &&
           switch_of(policy, EASIM_CAPABILITY_FREQUENCY) == policy->param_count;
}

size_t params_count(const struct easim_policy *policy) {
    return policy->param_count + list_param_count(policy) + has_frequency_option(policy);
}

const struct easim_param *params_at(const struct easim_policy *policy, size_t index) {
    if (index < policy->param_count)
        return &policy->params[index];
    index -= policy->param_count;
    const struct easim_param *param = list_param_at(policy, index);
    return param ? param : &power_limits_param;
}

bool params_is_list_option(const char *name) {
    for (size_t i = 0; i < LIST_PARAM_COUNT; i++)
        if (strcmp(list_params[i].name, name) == 0)
            return true;
    return false;
}

bool params_is_frequency_option(const char *name) {
    return strcmp(power_limits_param.name, name) == 0;
}

/* Where the value of a parameter stands. */
static void *value_at(const struct policy_params *params, size_t index) {
    const struct easim_param *param = params_at(params->policy, index);
    char *base = index < params->policy->param_count ? params->own
                 : param == &power_limits_param      ? (char *)params
                                                     : (char *)&params->list;
    return base + param->offset;
}

static void set_number(const struct easim_param *param, void *target, double value) {
    switch (param->type) {
    case EASIM_PARAM_INT:
        *(int64_t *)target = (int64_t)value;
        break;
    case EASIM_PARAM_BOOL:
        *(bool *)target = value != 0;
        break;
    case EASIM_PARAM_CHOICE:
        *(int32_t *)target = (int32_t)value;
        break;
    case EASIM_PARAM_TEXT:
        *(const char **)target = "";
        break;
    case EASIM_PARAM_TABLE:
        *(const struct easim_table **)target = NULL;
        break;
    default:
        *(double *)target = value;
    }
}

/* A table of which only the file is known: params_read_tables reads it. */
static const struct easim_table *name_table(struct arena *arena, const char *path) {
    struct easim_table *table = arena_alloc(arena, sizeof *table);
    *table = (struct easim_table){.struct_size = sizeof *table, .path = path};
    return table;
}

static int bind_param(const struct easim_param *param, const struct yaml_node *node,
                      const char *path, const struct binding *binding, void *target) {
    const struct field field = {.key = param->name,
                                .type = field_types[param->type],
                                .dimension = units_dimension(param->unit),
                                .word = param->may_be_off ? "off" : NULL,
                                .min = param->min,
                                .max = param->max,
                                .choices = param->choices};
    const char *file = NULL;
    if (param->type != EASIM_PARAM_TABLE)
        return schema_bind_value(binding, &field, node, path, target);
    int r = schema_bind_value(binding, &field, node, path, &file);
    if (r == 0)
        *(const struct easim_table **)target = name_table(binding->arena, file);
    return r;
}

static int report_unknown(const struct easim_policy *policy, const struct yaml_node *key,
                          const char *path, const struct binding *binding) {
    size_t count = params_count(policy);
    const char **names = mem_zalloc(count + 1, sizeof *names);
    struct str list = {0};
    for (size_t i = 0; i < count; i++) {
        names[i] = params_at(policy, i)->name;
        str_addf(&list, "%s%s", i > 0 ? ", " : "", names[i]);
    }
    problems_add(binding->problems, key->where, path,
                 "policy %s has no parameter \"%.80s\"%s (it has: %s)", policy->name, key->text,
                 str_suggestion(binding->arena, key->text, names, count),
                 list.length > 0 ? list.text : "none");
    str_finish(&list);
    free(names);
    return ERROR_INPUT;
}

/* What a list policy says of the host's parameters. */
static void set_list_defaults(struct list_options *options, const struct easim_list *list) {
    options->strict = list->strict;
    options->resize = list->resize;
    options->shrink = list->shrink;
    if (list->resize_gain > 0)
        options->resize_gain = list->resize_gain;
    if (list->resize_interval_s > 0)
        options->resize_interval_s = list->resize_interval_s;
    if (list->round_s > 0)
        options->round_s = list->round_s;
}

void params_init(struct policy_params *params, const struct easim_policy *policy) {
    *params = (struct policy_params){.policy = policy, .own = mem_zalloc(1, policy->params_size)};
    for (size_t i = 0; i < LIST_PARAM_COUNT; i++)
        set_number(&list_params[i], (char *)&params->list + list_params[i].offset,
                   list_params[i].default_value);
    for (size_t i = 0; i < policy->param_count; i++)
        set_number(&policy->params[i], value_at(params, i), policy->params[i].default_value);
    if (policy->list)
        set_list_defaults(&params->list, policy->list);
}

void params_finish(struct policy_params *params) {
    free(params->own);
    *params = (struct policy_params){0};
}

int params_bind(struct policy_params *params, const struct yaml_node *node, const char *path,
                const struct binding *binding) {
    const struct easim_policy *policy = params->policy;
    if (!node || yaml_is_null(node))
        return 0;
    if (node->kind != YAML_NODE_MAPPING)
        return schema_wrong(binding, node, path, "a mapping of parameters to values");
    int result = 0;
    for (size_t i = 0; i < node->count; i++) {
        size_t count = params_count(policy), at = 0;
        while (at < count && strcmp(params_at(policy, at)->name, node->keys[i]->text) != 0)
            at++;
        int r = at < count ? bind_param(params_at(policy, at), node->items[i],
                                        arena_printf(binding->arena, "%s.%s", path,
                                                     params_at(policy, at)->name),
                                        binding, value_at(params, at))
                           : report_unknown(policy, node->keys[i], path, binding);
        result = r < 0 ? r : result;
    }
    return result;
}

int params_read_tables(struct policy_params *params, const struct binding *binding,
                       struct str *unused) {
    size_t before = binding->problems->count;
    for (size_t i = 0; i < params->policy->param_count; i++) {
        const struct easim_param *param = &params->policy->params[i];
        const struct easim_table **table = value_at(params, i);
        if (param->type != EASIM_PARAM_TABLE || !*table)
            continue;
        const char *path = (*table)->path;
        struct str names = {0};
        *table = param_table_read(params->policy, param->name, path, binding, &names);
        if (names.length > 0)
            str_addf(unused, "%s%s: columns that policy %s does not use: %s",
                     unused->length > 0 ? "; " : "", path, params->policy->name, names.text);
        str_finish(&names);
    }
    return binding->problems->count > before ? ERROR_INPUT : 0;
}

uint32_t params_reads(const struct policy_params *params) {
    uint32_t reads = params->policy->reads;
    if (reads == 0 || (!params->list.resize && !list_options_in_rounds(&params->list)))
        return reads;
    return (reads & ~EASIM_READS_NOTHING) | EASIM_READS_RUN_TIMES;
}

const char *params_missing(const struct policy_params *params) {
    for (size_t i = 0; i < params->policy->param_count; i++) {
        const struct easim_param *param = &params->policy->params[i];
        if (param->type == EASIM_PARAM_TABLE && param->min >= 1 &&
            !*(const struct easim_table *const *)value_at(params, i))
            return param->name;
    }
    return NULL;
}

const char *params_effect(const struct policy_params *params, struct arena *arena) {
    for (size_t i = 0; i < params->policy->param_count; i++) {
        const struct easim_param *param = &params->policy->params[i];
        if (param->type != EASIM_PARAM_TEXT || param->max == 0)
            continue;
        const char *text = *(const char *const *)value_at(params, i);
        if (*text)
            return arena_printf(arena, "%s \"%s\"",
                                param->max == EASIM_TEXT_PROGRAM ? "run" : "open", text);
    }
    return NULL;
}

struct config_extras params_extras(const struct policy_params *params) {
    return (struct config_extras){
        .power_limits = params_have(params, EASIM_CAPABILITY_FREQUENCY),
        .law_limits = params_have(params, EASIM_CAPABILITY_FREQUENCY),
        .any_limits = params_set_limits(params),
        .shares = params_have(params, EASIM_CAPABILITY_FRACTIONAL_GPU) &&
                  !list_options_in_rounds(&params->list),
    };
}

double params_number(const struct policy_params *params, size_t index) {
    const void *at = value_at(params, index);
    switch (params_at(params->policy, index)->type) {
    case EASIM_PARAM_INT:
        return (double)*(const int64_t *)at;
    case EASIM_PARAM_BOOL:
        return *(const bool *)at;
    case EASIM_PARAM_CHOICE:
        return *(const int32_t *)at;
    case EASIM_PARAM_TEXT:
    case EASIM_PARAM_TABLE:
        return NAN;
    default:
        return *(const double *)at;
    }
}

bool params_are_marginal(const struct policy_params *params) {
    for (size_t i = 0; i < params->policy->param_count; i++)
        if (params->policy->params[i].role == EASIM_ROLE_MARGINAL)
            return params_number(params, i) != 0;
    return false;
}

bool params_switch_on(const struct policy_params *params, uint32_t capability) {
    size_t param = switch_of(params->policy, capability);
    return (params->policy->capabilities & capability) && param < params->policy->param_count &&
           params_number(params, param) != 0;
}

bool params_have(const struct policy_params *params, uint32_t capability) {
    const struct easim_policy *policy = params->policy;
    if (!policy || !(policy->capabilities & capability))
        return false;
    if (switch_of(policy, capability) < policy->param_count)
        return params_switch_on(params, capability);
    return capability != EASIM_CAPABILITY_FREQUENCY || params->power_limits;
}

bool params_set_limits(const struct policy_params *params) {
    const uint32_t needed = EASIM_CAPABILITY_FREQUENCY | CAPABILITY_POWER;
    const struct easim_policy *policy = params->policy;
    return policy && (policy->capabilities & needed) == needed &&
           (has_frequency_option(policy) || params_switch_on(params, EASIM_CAPABILITY_FREQUENCY));
}

void params_set_number(struct policy_params *params, size_t index, double value) {
    set_number(params_at(params->policy, index), value_at(params, index), value);
}

void params_write_value(const struct policy_params *params, size_t index, struct str *out) {
    const struct easim_param *param = params_at(params->policy, index);
    const void *at = value_at(params, index);
    if (param->type == EASIM_PARAM_BOOL)
        str_add(out, *(const bool *)at ? "true" : "false");
    else if (param->type == EASIM_PARAM_INT)
        str_add_int(out, *(const int64_t *)at);
    else if (param->type == EASIM_PARAM_CHOICE)
        str_add(out, param->choices[*(const int32_t *)at]);
    else if (param->type == EASIM_PARAM_TEXT)
        str_add(out, *(const char *const *)at);
    else if (param->type == EASIM_PARAM_TABLE)
        str_add(out, *(const struct easim_table *const *)at
                         ? (*(const struct easim_table *const *)at)->path
                         : "");
    else if (*(const double *)at == EASIM_OFF)
        str_add(out, "off");
    else
        str_add_real(out, *(const double *)at);
}

bool params_are_equal(const struct policy_params *one, const struct policy_params *other) {
    size_t count = params_count(one->policy);
    bool equal =
        strcmp(one->policy->name, other->policy->name) == 0 && count == params_count(other->policy);
    for (size_t i = 0; equal && i < count; i++) {
        struct str values[2] = {{0}, {0}};
        params_write_value(one, i, &values[0]);
        params_write_value(other, i, &values[1]);
        equal =
            strcmp(params_at(one->policy, i)->name, params_at(other->policy, i)->name) == 0 &&
            strcmp(values[0].text ? values[0].text : "", values[1].text ? values[1].text : "") == 0;
        str_finish(&values[0]);
        str_finish(&values[1]);
    }
    return equal;
}

void params_write_range(const struct easim_param *param, struct str *out) {
    static const char *const nouns[] = {"number",  "duration", "integer",   "true or false",
                                        "one of ", "text",     "a CSV file"};
    str_add(out, nouns[param->type]);
    if (param->type == EASIM_PARAM_CHOICE)
        for (size_t i = 0; param->choices[i]; i++)
            str_addf(out, "%s%s", i ? " | " : "", param->choices[i]);
    else if (param->type != EASIM_PARAM_BOOL && param->type != EASIM_PARAM_TEXT &&
             param->type != EASIM_PARAM_TABLE) {
        str_add_char(out, ' ');
        str_add_real(out, param->min);
        str_add(out, "..");
        str_add_real(out, param->max);
    }
    if (param->may_be_off)
        str_add(out, " or off");
}
