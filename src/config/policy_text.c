/* Policies with parameters: see policy_text.h. */
#include "config/policy_text.h"

#include "base/str.h"
#include "io/yaml_node.h"

#include <stdlib.h>
#include <string.h>

static bool is_quote(char c) {
    return c == '"' || c == '\'';
}

/* Behind the quote that closes the one at `at`: \" closes none, nor does ''. NULL: none. */
static const char *behind_quotes(const char *at) {
    char quote = *at++;
    for (; *at; at++)
        if (*at == '\\' && quote == '"' && at[1])
            at++;
        else if (*at == quote && quote == '\'' && at[1] == quote)
            at++;
        else if (*at == quote)
            return at + 1;
    return NULL;
}

/* A path may hold colons, with which parameters begin only if they look like that: NAME=. */
static bool begins_setting(const char *at) {
    size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyz0123456789_");
    return length > 0 && at[length] == '=';
}

static const char *find_colon(const char *text) {
    const char *colon = strchr(text, ':'), *slash = strchr(text, '/');
    while (colon && slash && slash < colon && !begins_setting(colon + 1))
        colon = strchr(colon + 1, ':');
    return colon;
}

/* Where the value that begins there ends; NULL: in the middle of quotes. */
static const char *behind_value(const char *at) {
    return is_quote(*at) ? behind_quotes(at) : at + strcspn(at, ":");
}

/* ---- Label, name and parameters ---- */

bool policy_label_is_valid(const char *label) {
    size_t length = strspn(label, "abcdefghijklmnopqrstuvwxyz0123456789_.-");
    return length > 0 && length <= POLICY_NAME_MOST_BYTES && label[length] == '\0';
}

/* The = behind what would be a label, which holds neither a slash nor a colon; NULL: none. */
static const char *label_end(const char *text) {
    const char *end = is_quote(*text) ? behind_quotes(text) : text + strcspn(text, "=/:");
    return end && *end == '=' ? end : NULL;
}

const char *policy_text_behind_label(const char *text) {
    const char *end = label_end(text);
    return end ? end + 1 : text;
}

/* The quoted path at the beginning, whose quotes go. Returns what is behind it, or NULL. */
static const char *read_quoted_name(const char *text, struct arena *arena, const char **ret_name) {
    const char *end = behind_quotes(text);
    struct str name = {0};
    for (const char *at = text + 1; end && at < end - 1; at++) {
        bool escaped = at + 1 < end - 1 && ((*text == '"' && *at == '\\') || *at == *text);
        at += escaped;
        str_add_char(&name, *at);
    }
    *ret_name = arena_strdup(arena, name.length > 0 ? name.text : "");
    str_finish(&name);
    return end && (*end == ':' || *end == '\0') ? end : NULL;
}

static const char *read_name(const char *text, struct arena *arena, const char **ret_name) {
    if (is_quote(text[0]))
        return read_quoted_name(text, arena, ret_name);
    const char *colon = find_colon(text), *end = colon ? colon : text + strlen(text);
    *ret_name = arena_strndup(arena, text, (size_t)(end - text));
    return end;
}

static bool is_given(const struct policy_text *text, const char *name) {
    for (size_t i = 0; i < text->count; i++)
        if (strcmp(text->settings[i].name, name) == 0)
            return true;
    return false;
}

/* PARAM=VALUE behind a colon. Returns what is behind it; NULL after filling in the error. */
static const char *read_setting(const char *at, const struct policy_text *text,
                                struct policy_setting *ret_setting, struct arena *arena,
                                struct error *reterr) {
    size_t length = strcspn(at, "=:");
    if (length == 0 || at[length] != '=') {
        (void)error_set(reterr, ERROR_INPUT,
                        "expected PARAM=VALUE behind \"%.80s:\", got \"%.80s\"", text->name,
                        arena_strndup(arena, at, strcspn(at, ":")));
        return NULL;
    }
    const char *value = at + length + 1, *end = behind_value(value);
    if (!end || (*end && *end != ':')) {
        (void)error_set(reterr, ERROR_INPUT, "expected %s, got \"%.80s\"",
                        end ? "a colon or the end after the quotes" : "quotes that are closed",
                        value);
        return NULL;
    }
    *ret_setting = (struct policy_setting){arena_strndup(arena, at, length),
                                           arena_strndup(arena, value, (size_t)(end - value))};
    if (!is_given(text, ret_setting->name))
        return end;
    (void)error_set(reterr, ERROR_INPUT, "parameter \"%.80s\" is given twice", ret_setting->name);
    return NULL;
}

int policy_text_parse(const char *text, struct arena *arena, struct policy_text *ret_text,
                      struct error *reterr) {
    struct policy_text read = {.name = NULL};
    struct policy_setting *settings = arena_alloc(arena, (strlen(text) + 1) * sizeof *settings);
    const char *label = label_end(text);
    read.label = label ? arena_strndup(arena, text, (size_t)(label - text)) : NULL;
    if (label && !policy_label_is_valid(read.label))
        return error_set(reterr, ERROR_INPUT, "expected " POLICY_LABEL_HELP ", got \"%.80s\"",
                         read.label);
    text = policy_text_behind_label(text);
    const char *at = read_name(text, arena, &read.name);
    if (!at)
        return error_set(reterr, ERROR_INPUT,
                         "expected a path in quotes, then a colon or the end, got \"%.80s\"", text);
    if (read.name[0] == '\0')
        return error_set(reterr, ERROR_INPUT, "expected a policy, got \"%.80s\"", text);
    read.settings = settings;
    read.variant = *at ? at + 1 : NULL;
    while (*at == ':') {
        at = read_setting(at + 1, &read, &settings[read.count], arena, reterr);
        if (!at)
            return ERROR_INPUT;
        read.count++;
    }
    *ret_text = read;
    return 0;
}

const char *policy_text_next(const char **list, struct arena *arena) {
    const char *begin = *list, *at = begin;
    while (*at && *at != ',') {
        bool may_be_quoted = at == begin || at[-1] == '=';
        const char *end = may_be_quoted && is_quote(*at) ? behind_quotes(at) : NULL;
        at = end ? end : at + 1;
    }
    *list = at + (*at == ',');
    return arena_strndup(arena, begin, (size_t)(at - begin));
}

/* ---- Other forms ---- */

const char *policy_text_quote(const char *path, struct arena *arena) {
    if (!is_quote(path[0]) && !strpbrk(path, ":,"))
        return path;
    struct str quoted = {0};
    str_add_char(&quoted, '"');
    for (; *path; path++)
        str_addf(&quoted, "%s%c", *path == '"' || *path == '\\' ? "\\" : "", *path);
    str_add_char(&quoted, '"');
    const char *result = arena_strdup(arena, quoted.text);
    str_finish(&quoted);
    return result;
}

static bool stands_for_itself(char c, bool first) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && strchr("_-=+", c)) || (c == '.' && !first);
}

const char *policy_text_folder(const char *text, struct arena *arena) {
    struct str folder = {0};
    const char *ending = strchr(text, ':') ? NULL : strrchr(text, '.');
    ending = ending && ending[1] >= 'a' && ending[1] <= 'z' ? ending : NULL;
    for (const char *at = text; *at; at++)
        if (stands_for_itself(*at, at == text || at == ending))
            str_add_char(&folder, *at);
        else
            str_addf(&folder, "%%%02X", (unsigned char)*at);
    const char *result = arena_strdup(arena, folder.length > 0 ? folder.text : "");
    str_finish(&folder);
    return result;
}

/* --- policy_doc --- */

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
    if (result == 0 && text->label)
        result = put_text(doc, "label", text->label, where, problems);
    if (result == 0 && text->count > 0)
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
    if (policy_text_parse(name->text, &doc->arena, &text, &error) < 0)
        return problems_add(problems, name->where, "policy.name", "%s", error.text);
    if (strcmp(text.name, name->text) == 0)
        return 0;
    const struct location where = name->where;
    int r = put_text(doc, "name", text.name, where, problems);
    return r == 0 ? policy_doc_apply(doc, &text, where, problems) : r;
}

void policy_doc_drop(struct yaml_doc *doc, const char *key) {
    const struct yaml_step steps[] = {{.name = "policy"}, {.name = key}};
    const struct yaml_path path = {steps, 2};
    const struct yaml_node *node = find_in_policy(doc, key);
    struct problems none = {0};
    if (node && yaml_doc_put(doc, &path, "~", node->where, &none) < 0)
        problems_finish(&none); /* what stands on the way was found a line above */
}

/* ---- --policy ---- */

/* Params of the file stay only if they were written for that very name. A path is one from where
   the command was typed, even if the file has the same words; of which policy it is, the caller
   knows who opens it. */
int policy_doc_replace(struct yaml_doc *doc, const struct policy_change *change,
                       struct problems *problems) {
    struct error error = {0};
    if (policy_text_parse(change->text, &doc->arena, change->ret_text, &error) < 0)
        return problems_add_setting(problems, (struct location){0}, "policy", "%s", error.text);
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
