/* Policies with parameters: see policy_text.h. */
#include "config/policy_text.h"

#include "base/str.h"

#include <stdlib.h>
#include <string.h>

static bool is_quote(char c) {
    return c == '"' || c == '\'';
}

/* Behind the quote that closes the one at `at`: \" closes none, nor does ''. NULL: there is none.
 */
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

/* ---- Name and parameters ---- */

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
                        end ? "a colon or the end behind the quotes" : "quotes that are closed",
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
    for (const char *at = text; *at; at++)
        if (stands_for_itself(*at, at == text))
            str_add_char(&folder, *at);
        else
            str_addf(&folder, "%%%02X", (unsigned char)*at);
    const char *result = arena_strdup(arena, folder.length > 0 ? folder.text : "");
    str_finish(&folder);
    return result;
}
