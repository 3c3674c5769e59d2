/* The table of rules, made of rules.def: see rule_table.h. */
#include "insight/rules/rule_table.h"

#include "insight/rules/internal.h"

#include <string.h>

/* clang-format off */
#define RULE(of, ...) static const struct field of##_fields[] = {
#define ROW(of, name, member, type_in_c, value_type, above, least, most, usual, text) \
    {.key = #name, .type = value_type, .offset = offsetof(struct of##_thresholds, member), \
     .min = least, .above_min = above, .max = most, .default_value = usual, .help = text},
#define RULE_END(of) FIELDS_END};
#define MORE_FIGURES(...)
#include "insight/rules/rules.def"

const struct rule rule_table[] = {
#define RULE(of, name, share_of, column, is_of_trust, wrong, advice, when) \
    {.id = name, .title = wrong, .trigger = when, .recommends = advice, .measure = share_of, \
     .betters = column, .trust = is_of_trust, .thresholds = of##_fields, \
     .thresholds_size = sizeof(struct of##_thresholds), .find = find_##of},
#define ROW(...)
#define RULE_END(rule)
#define MORE_FIGURES(...)
#include "insight/rules/rules.def"
    {0}};
/* clang-format on */

#define RULES (sizeof rule_table / sizeof *rule_table - 1)

/* ---- Thresholds ---- */

static const char *const *list_names(struct arena *arena) {
    const char **names = arena_alloc(arena, (RULES + 1) * sizeof *names);
    for (size_t i = 0; rule_table[i].id; i++)
        names[i] = rule_table[i].id;
    return names;
}

static bool is_rule(const char *name) {
    size_t i = 0;
    while (rule_table[i].id && strcmp(rule_table[i].id, name) != 0)
        i++;
    return rule_table[i].id != NULL;
}

/* The rule that a path leads to a threshold of, in words of the user. */
static int check_path(const struct yaml_path *path, const char *text, struct arena *arena,
                      struct problems *problems) {
    const struct location nowhere = {0};
    const char *name = path->steps[0].name ? path->steps[0].name : text;
    if (!is_rule(name))
        problems_add_setting(problems, nowhere, "rule", "no rule is named \"%.80s\"%s", name,
                             str_suggestion(arena, name, list_names(arena), RULES));
    else if (path->count != 2 || !path->steps[1].name)
        problems_add_setting(problems, nowhere, "rule",
                             "expected RULE.THRESHOLD=VALUE, got \"%.80s\"", text);
    else
        return 0;
    return ERROR_INPUT;
}

/* One text into the tree of all of them. */
static int set_threshold(struct yaml_doc *doc, const char *text, struct problems *problems) {
    struct arena *arena = &doc->arena;
    struct yaml_path path;
    const char *value;
    struct error error = {0};
    if (yaml_path_parse_set(text, arena, &path, &value, &error) < 0) {
        problems_add_setting(problems, (struct location){0}, "rule", "%s", error.text);
        return ERROR_INPUT;
    }
    if (check_path(&path, text, arena, problems) < 0)
        return ERROR_INPUT;
    const struct location where = {
        .file = arena_printf(arena, "%srule", problems->dashes ? problems->dashes : "")};
    struct yaml_node *node = arena_alloc(arena, sizeof *node);
    *node = (struct yaml_node){.kind = YAML_NODE_SCALAR,
                               .where = where,
                               .text = arena_strdup(arena, value),
                               .length = strlen(value),
                               .quoted = true}; /* an empty one is no default */
    const struct yaml_setting setting = {&path, node, where, arena};
    struct yaml_node *root = yaml_path_set(doc->root, &setting, &error);
    doc->root = root ? root : doc->root;
    return root ? 0 : error.code;
}

int rule_settings_init(struct rule_settings *settings, const char *const *texts, size_t count,
                       struct problems *problems) {
    struct yaml_doc doc = {.file = "thresholds"};
    const struct binding binding = {.arena = &settings->arena, .problems = problems};
    int result = 0;
    for (size_t i = 0; i < count; i++)
        if (set_threshold(&doc, texts[i], problems) < 0)
            result = ERROR_INPUT;
    settings->thresholds =
        arena_alloc(&settings->arena, (RULES + 1) * sizeof *settings->thresholds);
    for (size_t i = 0; rule_table[i].id; i++) {
        void *values = arena_alloc(&settings->arena, rule_table[i].thresholds_size + 1);
        const struct yaml_node *node = doc.root ? yaml_find(doc.root, rule_table[i].id) : NULL;
        if (schema_bind(&binding, rule_table[i].thresholds, node, rule_table[i].id, values) < 0)
            result = ERROR_INPUT;
        settings->thresholds[i] = values;
    }
    arena_adopt(&settings->arena, &doc.arena);
    return result;
}

void rule_settings_finish(struct rule_settings *settings) {
    arena_finish(&settings->arena);
    settings->thresholds = NULL;
}

void rules_apply(const struct rule_run *run, const struct rule_settings *settings,
                 struct insights *insights) {
    insights->rule_run = run;
    for (size_t i = 0; rule_table[i].id; i++) {
        insights->rule = &rule_table[i];
        rule_table[i].find(run, settings->thresholds[i], insights);
    }
    insights_sort(insights);
}
