/* Reads what `easim tune` tunes, as in --params: parameters of the policy, values of the scenario,
   and the policy itself; ranges, or lists of values. */
#include "cli/internal.h"

#include "base/numfmt.h"
#include "base/units.h"
#include "cli/cli.h"
#include "io/yaml_node.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#define MOST_VALUES 100 /* of a list: so many are tried in full */

static void refuse(struct problems *problems, const char *format, ...) PRINTF_LIKE(2, 3);

static void refuse(struct problems *problems, const char *format, ...) {
    va_list arguments;
    struct arena arena = {0};
    va_start(arguments, format);
    problems_say(problems, "--params: %s", arena_vprintf(&arena, format, arguments));
    va_end(arguments);
    arena_finish(&arena);
}

/* --- the text --- */

/* One item of --params. */
struct asked {
    const char *name;  /* in front of = */
    const char *range; /* behind it; NULL: nothing */
    struct yaml_path path;
    const struct yaml_node *list; /* the range as a list of values; NULL: it is none */
};

/* The next item: commas within brackets and quotes are its own. */
static const char *next_item(const char **list, struct arena *arena) {
    const char *start = *list, *at = start;
    int depth = 0;
    bool quoted = false;
    for (; *at && (*at != ',' || depth > 0 || quoted); at++) {
        quoted ^= *at == '"';
        depth += quoted ? 0 : (*at == '[' || *at == '{') - (*at == ']' || *at == '}');
    }
    *list = at + (*at == ',');
    return arena_strndup(arena, start, (size_t)(at - start));
}

/* [A, B, ...] as YAML has it. */
static int read_list(struct asked *asked, struct arena *arena, struct problems *problems) {
    size_t before = problems->count;
    struct yaml_doc doc = {.root = NULL};
    if (!asked->range || asked->range[0] != '[')
        return 0;
    const struct slice text = {asked->range, strlen(asked->range)};
    int r = yaml_doc_parse(&doc, text, arena_printf(arena, "--params %s", asked->name), problems);
    if (r == 0 && (doc.root->kind != YAML_NODE_SEQUENCE || doc.root->count < 1 ||
                   doc.root->count > MOST_VALUES))
        refuse(problems, "expected a list of 1..%d values, got %s=%.80s", MOST_VALUES, asked->name,
               asked->range);
    asked->list = doc.root;
    arena_adopt(arena, &doc.arena);
    return problems->count > before ? ERROR_INPUT : 0;
}

static int read_item(const char *item, const char *all, struct arena *arena, struct asked *asked,
                     struct problems *problems) {
    struct error error = {0};
    *asked = (struct asked){.range = NULL};
    asked->name = option_name(item, arena, &asked->range);
    if (asked->name[0] == '\0')
        refuse(problems, "expected parameters, got \"%.80s\"", all);
    else if (yaml_path_parse(asked->name, arena, &asked->path, &error) < 0)
        refuse(problems, "%s", error.text);
    else
        return read_list(asked, arena, problems);
    return ERROR_INPUT;
}

/* --- axes --- */

static struct search_axis axis_of_param(const struct easim_param *p) {
    double choices = 0;
    while (p->type == EASIM_PARAM_CHOICE && p->choices[(size_t)choices])
        choices++;
    bool whole =
        p->type == EASIM_PARAM_INT || p->type == EASIM_PARAM_BOOL || p->type == EASIM_PARAM_CHOICE;
    double most = p->type == EASIM_PARAM_CHOICE ? choices - 1
                  : p->type == EASIM_PARAM_BOOL ? 1
                                                : p->max;
    return search_axis_of(p->type == EASIM_PARAM_CHOICE || p->type == EASIM_PARAM_BOOL ? 0 : p->min,
                          most, whole, p->may_be_off);
}

static struct search_axis axis_of_list(size_t count) {
    struct search_axis axis = search_axis_of(0, (double)count - 1, true, false);
    axis.logarithmic = false;
    return axis;
}

/* LO..HI within the policy's own range, each with or without a unit. */
static bool narrow_axis(const char *text, enum dimension dimension, struct search_axis *axis) {
    const char *dots = strstr(text, "..");
    double least, most;
    if (!dots || !units_parse(dimension, text, (size_t)(dots - text), &least) ||
        !units_parse(dimension, dots + 2, strlen(dots + 2), &most) || least < axis->least ||
        most > axis->most || !(least < most))
        return false;
    *axis = search_axis_of(least, most, axis->whole, false);
    return true;
}

/* --- one target --- */

static bool is_listed(const struct tune_targets *t, const struct tune_target *target) {
    for (size_t i = 0; i < t->count; i++) {
        const struct tune_target *other = &t->targets[i];
        if (target->path && other->path ? yaml_paths_overlap(target->path, other->path)
            : !target->path && !other->path && !target->is_policy
                ? !other->is_policy && target->param == other->param
                : target->is_policy && other->is_policy)
            return true;
    }
    return false;
}

static void add_axis(struct tune_targets *t, const struct tune_target *target,
                     struct search_axis axis, struct problems *problems) {
    if (is_listed(t, target)) {
        refuse(problems, "%s is listed twice", target->name);
        return;
    }
    t->axes[t->count] = axis;
    t->targets[t->count++] = *target;
}

/* The values of a list as texts; which of them the scenario has is the start. */
static void take_texts(struct tune_target *target, const struct yaml_node *list,
                       struct arena *arena, struct problems *problems) {
    const char **texts = arena_alloc(arena, list->count * sizeof *texts);
    target->texts = texts;
    target->start = -1;
    for (size_t i = 0; i < list->count; i++) {
        texts[i] = target->is_policy && list->items[i]->kind == YAML_NODE_SCALAR
                       ? list->items[i]->text
                       : yaml_flow_text(list->items[i], arena);
        for (size_t j = 0; j < i; j++)
            if (strcmp(texts[i], texts[j]) == 0)
                refuse(problems, "%s has %.80s twice", target->name, texts[i]);
        if (target->start_text && strcmp(texts[i], target->start_text) == 0)
            target->start = (double)i;
    }
}

/* Negative if the scenario cannot have any of the values: the problem is that of the first. */
static int try_values(const struct tune_targets *t, const struct tune_target *target,
                      const struct search_axis *axis, struct problems *problems) {
    struct problems first = CLI_PROBLEMS;
    size_t count = target->texts ? (size_t)axis->most + 1 : 2, good = 0;
    for (size_t i = 0; i < count; i++) {
        struct problems own = CLI_PROBLEMS;
        struct study study = {.drawn = NULL};
        struct str set = {0};
        str_addf(&set, "%s=", target->path);
        tune_add_value(target,
                       target->texts ? (double)i
                       : i == 0      ? axis->least
                                     : axis->most,
                       NULL, &set);
        good += t->load(t->context, &study, NULL, set.text, i == 0 ? &first : &own) == 0;
        study_finish(&study);
        problems_finish(&own);
        str_finish(&set);
    }
    if (good == 0)
        refuse(problems, "%s", first.count > 0 ? first.texts[0] : "no value can be loaded");
    problems_finish(&first);
    return good > 0 ? 0 : ERROR_INPUT;
}

/* A value of the scenario: any of a list, or a number without a unit. */
static void add_path(struct tune_targets *t, const struct asked *asked, struct problems *problems) {
    struct arena *arena = &t->options->arena;
    const char *path = yaml_path_text(&asked->path, arena), *range = asked->range;
    struct tune_target target = {.name = path, .path = path, .start = NAN};
    struct search_axis axis = search_axis_of(-DBL_MAX, DBL_MAX, false, false);
    const struct yaml_node *node = yaml_path_find(t->own->scenario.doc.root, &asked->path);
    bool is_text = node && node->kind == YAML_NODE_SCALAR && !yaml_is_null(node) &&
                   !numfmt_parse_real(node->text, strlen(node->text), &target.start);
    if (yaml_paths_overlap("policy", path) || yaml_paths_overlap("params_by_policy", path)) {
        refuse(problems,
               "expected a parameter of the policy, as edp_slack or policy.params.edp_slack, or a "
               "value of the scenario by its path, or policy=[A,B], got \"%.80s\"",
               path);
    } else if (asked->list) {
        target.start_text = node ? yaml_flow_text(node, arena) : NULL;
        axis = axis_of_list(asked->list->count);
        take_texts(&target, asked->list, arena, problems);
        if (problems->count == 0 && try_values(t, &target, &axis, problems) == 0)
            add_axis(t, &target, axis, problems);
    } else if (is_text || (node && node->kind != YAML_NODE_SCALAR)) {
        refuse(problems, "expected a number in the scenario at %s, or %s=[A,B], found %.80s", path,
               path, is_text ? node->text : "several values");
    } else if (!range || !narrow_axis(range, DIMENSION_NONE, &axis)) {
        refuse(problems, "expected %s=LO..HI or %s=[A,B], got %s%.80s", path, path,
               range ? "" : "no range", range ? range : "");
    } else if (try_values(t, &target, &axis, problems) == 0) {
        add_axis(t, &target, axis, problems);
    }
}

/* --- parameters --- */

/* The values of a list as the numbers that a parameter has. */
static void take_numbers(struct tune_target *target, const struct study *study,
                         const struct asked *asked, struct arena *arena,
                         struct problems *problems) {
    const struct easim_param *param = params_at(study->params.policy, target->param);
    struct yaml_node key = {.kind = YAML_NODE_SCALAR, .text = param->name};
    struct yaml_node *keys[] = {&key};
    const struct binding binding = {arena, problems, NULL};
    double *numbers = arena_alloc(arena, asked->list->count * sizeof *numbers);
    struct policy_params scratch;
    params_init(&scratch, study->params.policy);
    target->numbers = numbers;
    target->start_number = target->start;
    target->start = -1;
    for (size_t i = 0; i < asked->list->count; i++) {
        const struct yaml_node mapping = {
            .kind = YAML_NODE_MAPPING, .keys = keys, .items = asked->list->items + i, .count = 1};
        if (params_bind(&scratch, &mapping, "policy.params", &binding) < 0)
            continue;
        numbers[i] = params_number(&scratch, target->param);
        for (size_t j = 0; j < i; j++)
            if (numbers[i] == numbers[j])
                refuse(problems, "%s has %.80s twice", target->name, asked->list->items[i]->text);
        if (numbers[i] == target->start_number)
            target->start = (double)i;
    }
    params_finish(&scratch);
}

/* Finds the parameter of a policy; false after adding a problem. */
static bool find_param(const struct study *study, const char *name, struct arena *arena,
                       size_t *ret_at, struct problems *problems) {
    const struct easim_policy *policy = study->params.policy;
    size_t count = params_count(policy), at = 0;
    const char **names = arena_alloc(arena, count * sizeof *names);
    for (size_t i = 0; i < count; i++)
        names[i] = params_at(policy, i)->name;
    while (at < count && strcmp(names[at], name) != 0)
        at++;
    *ret_at = at;
    if (at == count) {
        refuse(problems, "policy %s has no parameter \"%.80s\"%s", policy->name, name,
               str_suggestion(arena, name, names, count));
        return false;
    }
    enum easim_param_type type = params_at(policy, at)->type;
    if (type != EASIM_PARAM_TEXT && type != EASIM_PARAM_TABLE)
        return true;
    refuse(problems, "%s is %s, which cannot be tuned", name,
           type == EASIM_PARAM_TEXT ? "text" : "a file");
    return false;
}

/* The axis of a parameter: that of its table, a narrower one, or a list. */
static struct search_axis find_axis(struct tune_target *target, const struct study *study,
                                    const struct asked *asked, struct arena *arena,
                                    struct problems *problems) {
    const struct easim_param *param = params_at(study->params.policy, target->param);
    struct search_axis axis = axis_of_param(param);
    enum dimension dimension = units_dimension(param->unit);
    const char *units =
        dimension ? arena_printf(arena, " (units: %s)", units_accepted(dimension)) : "";
    if (asked->list) {
        take_numbers(target, study, asked, arena, problems);
        return axis_of_list(asked->list->count);
    }
    if (asked->range && !narrow_axis(asked->range, dimension, &axis))
        refuse(problems, "expected %s=LO..HI within %.9g..%.9g%s, got \"%.80s=%.80s\"",
               target->name, axis.least, axis.most, units, asked->name, asked->range);
    return axis;
}

static void add_param(struct tune_targets *t, const struct asked *asked, const char *name,
                      struct problems *problems) {
    struct tune_target target = {.name = name};
    size_t before = problems->count;
    if (t->policies) {
        refuse(problems, "expected params_by_policy.POLICY.%s with policy=[...], got %.80s", name,
               asked->name);
    } else if (find_param(t->own, name, &t->options->arena, &target.param, problems)) {
        target.start = params_number(&t->own->params, target.param);
        if (is_listed(t, &target)) {
            refuse(problems, "%s is listed twice", name);
            return;
        }
        struct search_axis axis = find_axis(&target, t->own, asked, &t->options->arena, problems);
        if (problems->count == before)
            add_axis(t, &target, axis, problems);
    }
}

/* --- the policy --- */

static void add_policies(struct tune_targets *t, const struct asked *asked,
                         struct problems *problems) {
    struct arena *arena = &t->options->arena;
    struct tune_target target = {.name = "policy",
                                 .is_policy = true,
                                 .start_text = arena_strdup(arena, t->own->scenario.policy.name)};
    if (t->policies) {
        refuse(problems, "policy is listed twice");
        return;
    }
    if (!asked->list) {
        refuse(problems, "expected policy=[A,B], got %s%.80s", asked->range ? "" : "no list",
               asked->range ? asked->range : "");
        return;
    }
    take_texts(&target, asked->list, arena, problems);
    t->policies = target.texts;
    t->choices = arena_alloc(arena, asked->list->count * sizeof *t->choices);
    for (; t->policy_count < asked->list->count; t->policy_count++)
        (void)!t->load(t->context, &t->choices[t->policy_count], t->policies[t->policy_count], NULL,
                       problems);
    struct search_axis axis = axis_of_list(t->policy_count);
    axis.apart = true;
    add_axis(t, &target, axis, problems);
}

/* params_by_policy.POLICY.NAME, of one of those to choose from. */
static void add_chosen_param(struct tune_targets *t, const struct asked *asked,
                             struct problems *problems) {
    struct arena *arena = &t->options->arena;
    const char *policy = asked->path.steps[1].name, *name = asked->path.steps[2].name;
    size_t at = 0, before = problems->count;
    while (at < t->policy_count && strcmp(t->choices[at].params.policy->name, policy) != 0)
        at++;
    if (at == t->policy_count) {
        refuse(problems, "%s: policy %s is not in the list of policy=[...]", asked->name, policy);
        return;
    }
    const struct study *study = &t->choices[at];
    const struct yaml_node *own = study->scenario.policy.params;
    const char *path = yaml_path_text(&asked->path, arena);
    struct tune_target target = {.name = path, .path = path};
    if (!find_param(study, name, arena, &target.param, problems))
        return;
    if (own && own->kind == YAML_NODE_MAPPING && yaml_find(own, name))
        refuse(problems, "%s: policy.params.%s of the scenario takes precedence", path, name);
    target.chosen = arena_alloc(arena, sizeof *target.chosen);
    target.start = params_number(&study->params, target.param);
    struct search_axis axis = find_axis(&target, study, asked, arena, problems);
    axis.bound = true;
    axis.bound_to = (double)at;
    params_init(target.chosen, study->params.policy);
    if (problems->count == before)
        add_axis(t, &target, axis, problems);
    if (problems->count > before)
        params_finish(target.chosen);
}

/* --- all --- */

static bool names_policy(const struct asked *asked) {
    return asked->path.count == 1 && asked->path.steps[0].name &&
           strcmp(asked->path.steps[0].name, "policy") == 0;
}

static void add_target(struct tune_targets *t, const struct asked *asked,
                       struct problems *problems) {
    const struct yaml_path *path = &asked->path;
    const char *text = yaml_path_text(path, &t->options->arena);
    const char *last = path->steps[path->count - 1].name;
    bool below = yaml_paths_overlap("policy.params", text);
    bool by_policy = path->count == 3 && path->steps[1].name && last &&
                     yaml_paths_overlap("params_by_policy", text);
    if (t->policies && by_policy)
        add_chosen_param(t, asked, problems);
    else if (last && (path->count == 1 || (path->count == 3 && below)))
        add_param(t, asked, last, problems);
    else
        add_path(t, asked, problems);
}

int tune_targets_find(struct tune_targets *t, struct problems *problems) {
    struct options *options = t->options;
    size_t most = strlen(options->params) + 1, before = problems->count, count = 0;
    struct asked *asked = arena_alloc(&options->arena, most * sizeof *asked);
    t->targets = arena_alloc(&options->arena, most * sizeof *t->targets);
    t->axes = arena_alloc(&options->arena, most * sizeof *t->axes);
    for (const char *list = options->params; *list;)
        count += read_item(next_item(&list, &options->arena), options->params, &options->arena,
                           &asked[count], problems) == 0;
    for (size_t i = 0; i < count; i++) /* what others mean hangs on it */
        if (names_policy(&asked[i]))
            add_policies(t, &asked[i], problems);
    for (size_t i = 0; i < count && (!t->policies || problems->count == before); i++)
        if (!names_policy(&asked[i]))
            add_target(t, &asked[i], problems);
    if (t->count == 0 && problems->count == before)
        refuse(problems, "expected parameters, got \"\"");
    return problems->count > before ? ERROR_INPUT : 0;
}

void tune_targets_finish(struct tune_targets *t) {
    for (size_t i = 0; i < t->count; i++)
        if (t->targets[i].chosen)
            params_finish(t->targets[i].chosen);
    for (size_t i = 0; i < t->policy_count; i++)
        study_finish(&t->choices[i]);
}
