/* The policy in a tree: see policy_doc.h. */
#include "config/policy_doc.h"

#include "io/yaml_node.h"

#include <string.h>

/* As where.file of a value that was set: "--policy" of a command line. */
static const char *setting_name(struct yaml_doc *doc, const struct problems *problems,
                                const char *name) {
    return arena_printf(&doc->arena, "%s%s", problems->dashes ? problems->dashes : "", name);
}

struct location policy_doc_place(struct yaml_doc *doc, const char *option, const char *text,
                                 const struct problems *problems) {
    return (struct location){
        .file = arena_printf(&doc->arena, "%s %s",
                             setting_name(doc, problems, option ? option : "policy"), text)};
}

const char *policy_doc_param(const char *name, struct arena *arena) {
    const struct yaml_step steps[] = {{.name = "policy"}, {.name = "params"}, {.name = name}};
    return yaml_path_text(&(struct yaml_path){steps, 3}, arena);
}

/* ---- Parameters behind a name ---- */

/* policy.KEY as a text that nobody takes for something else. */
static int put_text(struct yaml_doc *doc, const char *key, const char *text, struct location where,
                    struct problems *problems) {
    const struct yaml_step steps[] = {{.name = "policy"}, {.name = key}};
    struct str value = {0};
    yaml_add_quoted(&value, text);
    int r = yaml_doc_put(doc, &(struct yaml_path){steps, 2}, value.text, where, problems);
    str_finish(&value);
    return r;
}

int policy_doc_apply(struct yaml_doc *doc, const struct policy_text *text, struct location where,
                     struct problems *problems) {
    int result = 0;
    for (size_t i = 0; i < text->count; i++) {
        const struct yaml_step steps[] = {
            {.name = "policy"}, {.name = "params"}, {.name = text->settings[i].name}};
        if (yaml_doc_put(doc, &(struct yaml_path){steps, 3}, text->settings[i].value, where,
                         problems) < 0)
            result = ERROR_INPUT;
    }
    if (result == 0)
        result = put_text(doc, "variant", text->variant, where, problems);
    return result;
}

static const struct yaml_node *find_in_policy(const struct yaml_doc *doc, const char *key) {
    const struct yaml_node *policy =
        doc->root && doc->root->kind == YAML_NODE_MAPPING ? yaml_find(doc->root, "policy") : NULL;
    const struct yaml_node *node =
        policy && policy->kind == YAML_NODE_MAPPING ? yaml_find(policy, key) : NULL;
    return node && node->kind == YAML_NODE_SCALAR && !yaml_is_null(node) ? node : NULL;
}

int policy_doc_expand(struct yaml_doc *doc, struct problems *problems) {
    const struct yaml_node *name = find_in_policy(doc, "name");
    struct policy_text text;
    struct error error = {0};
    if (!name || name->length == 0)
        return 0; /* reported later, if it is wrong */
    if (policy_text_parse(name->text, &doc->arena, &text, &error) < 0) {
        problems_add(problems, name->where, "policy.name", "%s", error.text);
        return ERROR_INPUT;
    }
    if (strcmp(text.name, name->text) == 0)
        return 0;
    const struct location where = name->where;
    int r = put_text(doc, "name", text.name, where, problems);
    return r == 0 && text.count > 0 ? policy_doc_apply(doc, &text, where, problems) : r;
}

void policy_doc_drop_variant(struct yaml_doc *doc) {
    static const struct yaml_step steps[] = {{.name = "policy"}, {.name = "variant"}};
    const struct yaml_path path = {steps, 2};
    const struct yaml_node *variant = find_in_policy(doc, "variant");
    struct problems none = {0};
    if (variant && yaml_doc_put(doc, &path, "~", variant->where, &none) < 0)
        problems_finish(&none); /* what stands on the way was found a line above */
}

/* ---- --policy ---- */

/* Params of the file stay only if they were written for that very name. A path is one from where
   the command was typed, even if the file has the same words; of which policy it is, the caller
   knows who opens it. */
int policy_doc_replace(struct yaml_doc *doc, const struct policy_change *change,
                       struct problems *problems) {
    struct error error = {0};
    if (policy_text_parse(change->text, &doc->arena, change->ret_text, &error) < 0) {
        problems_add_setting(problems, (struct location){0}, "policy", "%s", error.text);
        return ERROR_INPUT;
    }
    const char *name = change->ret_text->name;
    const struct yaml_node *old_name = find_in_policy(doc, "name");
    bool same = old_name && (change->same_policy || strcmp(old_name->text, name) == 0);
    if (same && !strchr(name, '/'))
        return 0;
    if (old_name && !same)
        *change->ret_replaced = old_name->text;
    static const struct yaml_step steps[] = {{.name = "policy"}, {.name = "name"}};
    const struct yaml_path path = {steps, same ? 2 : 1};
    struct str value = {0};
    str_add(&value, same ? "" : "{name: ");
    yaml_add_quoted(&value, name);
    str_add(&value, same ? "" : "}");
    int r = yaml_doc_set(doc, &path, value.text, problems);
    str_finish(&value);
    if (r == 0) { /* the user typed --policy, not --set policy */
        struct yaml_node *policy = yaml_find(doc->root, "policy");
        const char *origin = setting_name(doc, problems, "policy");
        yaml_find(policy, "name")->where.file = origin;
        if (!same)
            policy->where.file = origin;
    }
    return r;
}
