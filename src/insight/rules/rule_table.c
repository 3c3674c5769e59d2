/* The table of rules, in the order of docs/insights.md: see rule_table.h. */
#include "insight/rules/rule_table.h"

#include "insight/rules/families.h"

#include <string.h>

const struct rule *const rules[] = {
    &rule_hog,
    NULL,
};

size_t rules_count(void) {
    return sizeof rules / sizeof *rules - 1;
}

/* ---- Thresholds ---- */

static const char *const *list_names(struct arena *arena) {
    const char **names = arena_alloc(arena, (rules_count() + 1) * sizeof *names);
    for (size_t i = 0; rules[i]; i++)
        names[i] = rules[i]->id;
    return names;
}

static bool is_rule(const char *name) {
    size_t i = 0;
    while (rules[i] && strcmp(rules[i]->id, name) != 0)
        i++;
    return rules[i] != NULL;
}

/* One text into the tree of all of them. */
static int set_threshold(struct yaml_doc *doc, const char *text, struct problems *problems) {
    struct yaml_path path;
    const char *value;
    struct error error = {0};
    const struct location nowhere = {0};
    if (yaml_path_parse_set(text, &doc->arena, &path, &value, &error) < 0) {
        problems_add_setting(problems, nowhere, "rule", "%s", error.text);
        return ERROR_INPUT;
    }
    const char *name = path.steps[0].name;
    if (!name || !is_rule(name)) {
        const char *unknown = name ? name : text;
        problems_add_setting(
            problems, nowhere, "rule", "no rule is named \"%.80s\"%s", unknown,
            str_suggestion(&doc->arena, unknown, list_names(&doc->arena), rules_count()));
        return ERROR_INPUT;
    }
    if (path.count != 2 || !path.steps[1].name) {
        problems_add_setting(problems, nowhere, "rule",
                             "expected RULE.THRESHOLD=VALUE, got \"%.80s\"", text);
        return ERROR_INPUT;
    }
    return yaml_doc_set(doc, &path, value, problems);
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
        arena_alloc(&settings->arena, (rules_count() + 1) * sizeof *settings->thresholds);
    for (size_t i = 0; rules[i]; i++) {
        void *values = arena_alloc(&settings->arena, rules[i]->thresholds_size + 1);
        const struct yaml_node *node = doc.root ? yaml_find(doc.root, rules[i]->id) : NULL;
        if (schema_bind(&binding, rules[i]->thresholds, node, rules[i]->id, values) < 0)
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
    for (size_t i = 0; rules[i]; i++)
        rules[i]->find(run, settings->thresholds[i], insights);
    insights_sort(insights);
}
