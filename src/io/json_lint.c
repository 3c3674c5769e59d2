/* A pushdown automaton over bytes. Invariant: what json_lint has passed is the beginning of a
 * value. */
#include "io/json_lint.h"

#include <string.h>

enum { AT_START, AT_KEY, AT_COLON, AT_VALUE, AT_ITEM, BEHIND, IN_STRING, IN_SCALAR, DEEP };

static bool is_lint_blank(char c) {
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static bool is_scalar_byte(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ||
           c == '-' || c == '+' || c == '_';
}

static bool in_object(const struct json_lint *lint) {
    return lint->objects[(lint->depth - 1) / 64] >> ((lint->depth - 1) % 64) & 1;
}

static void open_level(struct json_lint *lint, bool is_object) {
    lint->is_item = is_object && lint->place == AT_ITEM;
    lint->has_items |= lint->is_item;
    lint->depth++;
    if (lint->depth > JSON_LINT_LEVELS) {
        lint->place = DEEP;
        return;
    }
    uint64_t bit = 1ULL << ((lint->depth - 1) % 64), *word = &lint->objects[(lint->depth - 1) / 64];
    *word = is_object ? *word | bit : *word & ~bit;
    lint->place = is_object ? AT_KEY : AT_ITEM;
}

static bool close_level(struct json_lint *lint, char byte) {
    if (byte != (in_object(lint) ? '}' : ']'))
        return false;
    lint->depth--;
    lint->place = BEHIND;
    lint->is_item = false;
    return true;
}

static bool begin_value(struct json_lint *lint, char byte) {
    if (byte == '{' || byte == '[') {
        open_level(lint, byte == '{');
    } else if (byte == '"') {
        lint->place = IN_STRING;
        lint->is_key = false;
    } else {
        lint->place = IN_SCALAR;
        return is_scalar_byte(byte);
    }
    return true;
}

static void step_deep(struct json_lint *lint, char byte) {
    if (byte == '"') {
        lint->place = IN_STRING;
        lint->is_key = false;
    } else if (byte == '{' || byte == '[') {
        lint->depth++;
    } else if ((byte == '}' || byte == ']') && --lint->depth == JSON_LINT_LEVELS) {
        lint->place = BEHIND;
    }
}

/* A byte that is no blank, outside of strings and scalars; false where it cannot stand. */
static bool lint_byte(struct json_lint *lint, char byte) {
    switch (lint->place) {
    case AT_KEY:
        if (byte == '"') {
            lint->place = IN_STRING;
            lint->is_key = true;
            return true;
        }
        return byte == ',' || close_level(lint, byte);
    case AT_COLON:
        lint->place = AT_VALUE;
        return byte == ':';
    case AT_ITEM:
        if (byte == ']')
            return close_level(lint, byte);
        return byte == ',' || begin_value(lint, byte);
    case BEHIND:
        if (byte != ',')
            return close_level(lint, byte);
        lint->place = in_object(lint) ? AT_KEY : AT_ITEM;
        return true;
    case DEEP:
        step_deep(lint, byte);
        return true;
    default:
        return begin_value(lint, byte);
    }
}

/* Behind the closing quote, or NULL. */
static const char *lint_string_end(struct json_lint *lint, const char *at, const char *end) {
    for (; at < end; at++) {
        if (lint->in_escape)
            lint->in_escape = false;
        else if (*at == '\\')
            lint->in_escape = true;
        else if (*at == '"')
            return at + 1;
    }
    return NULL;
}

/* Goes on behind a string that ends there; false: it is the key that begins a record, in a place of
 * none. */
static bool leave_string(struct json_lint *lint, const char *at) {
    bool first_of_item = lint->is_key && lint->is_item;
    lint->place = lint->depth > JSON_LINT_LEVELS ? DEEP : lint->is_key ? AT_COLON : BEHIND;
    lint->is_item = false;
    if (!first_of_item || !lint->record_key)
        return true;
    size_t length = strlen(lint->record_key);
    const char *name = at - 1 - length;
    return name[-1] != '"' || memcmp(name, lint->record_key, length) != 0;
}

enum json_verdict json_lint(struct json_lint *lint, const char **text, const char *end) {
    const char *at = *text;
    while (at < end) {
        bool good = true;
        if (lint->place == IN_STRING) {
            const char *behind = lint_string_end(lint, at, end);
            at = behind ? behind : end;
            good = !behind || leave_string(lint, at);
        } else if (lint->place == IN_SCALAR) {
            while (at < end && is_scalar_byte(*at))
                at++;
            if (at < end)
                lint->place = BEHIND;
        } else if (is_lint_blank(*at)) {
            at++;
        } else {
            good = lint_byte(lint, *at);
            at += good;
        }
        *text = at;
        if (!good)
            return JSON_BROKEN;
        if (lint->place == BEHIND && lint->depth == 0)
            return JSON_WHOLE;
    }
    *text = at;
    return JSON_GOES_ON;
}
