/* Damaged JSON: see json_damage.h. Invariant: what json_lint has passed is the beginning of a
   value. */
#include "io/json_damage.h"

#include "base/word.h"
#include "io/json_text.h"

#include <stddef.h>
#include <string.h>

/* --- json_lint: a pushdown automaton over bytes --- */

enum { AT_START, AT_KEY, AT_COLON, AT_VALUE, AT_ITEM, BEHIND, IN_STRING, IN_SCALAR, DEEP };

/* Digits, letters and any of .-+_ as bits. */
static inline bool is_scalar_byte(char c) {
    static const uint64_t bits[4] = {0x03ff680000000000, 0x07fffffe87fffffe};
    return bits[(unsigned char)c / 64] >> ((unsigned char)c % 64) & 1;
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
    while (at < end) {
        if (lint->in_escape) {
            lint->in_escape = false;
            at++;
            continue;
        }
        at = word_find_either(at, end, '"', '\\');
        if (at == end)
            return NULL;
        lint->in_escape = *at++ == '\\';
        if (!lint->in_escape)
            return at;
    }
    return NULL;
}

/* Goes on behind a string that ends there; false: it is the first key of a record, misplaced. */
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

/* Members of texts and scalars as writers write them, `"key": 1, "key": "text"`, from the quote
   that begins a key on: up to the first other one, or behind the last one. What is not all there is
   left to json_lint. */
static const char *pass_members(struct json_lint *lint, const char *at, const char *end) {
    for (;;) {
        const char *behind = word_find_either(at + 1, end, '"', '\\');
        if (end - behind < 4 || *behind != '"' || behind[1] != ':')
            return at;
        behind += 2 + (behind[2] == ' ');
        const char *value = behind;
        if (*value == '"')
            behind = word_find_either(value + 1, end, '"', '\\');
        else
            while (behind < end && is_scalar_byte(*behind))
                behind++;
        if (behind == end || behind == value || (*value == '"' && *behind != '"'))
            return at;
        behind += *value == '"';
        const char *next = behind + (behind < end && *behind == ',');
        while (next > behind && next < end && json_is_blank(*next))
            next++;
        if (next == behind || next == end || *next != '"') {
            lint->place = BEHIND;
            return behind;
        }
        at = next;
    }
}

enum json_verdict json_lint(struct json_lint *lint, const char **text, const char *end) {
    const char *at = *text, *behind;
    while (at < end) {
        bool good = true;
        if (lint->place == IN_STRING) {
            behind = lint_string_end(lint, at, end);
            at = behind ? behind : end;
            good = !behind || leave_string(lint, at);
        } else if (lint->place == IN_SCALAR) {
            while (at < end && is_scalar_byte(*at))
                at++;
            if (at < end)
                lint->place = BEHIND;
        } else if (json_is_blank(*at)) {
            while (at < end && json_is_blank(*at))
                at++;
        } else if (lint->place == AT_KEY && *at == '"' && !lint->is_item &&
                   (behind = pass_members(lint, at, end)) > at) {
            at = behind;
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

/* --- json_landmarks --- */

#define MOST_OBJECT 65536 /* bytes of an object that is no record; usual are hundreds */

static const char *skip_record_blanks(const char *at, const char *end) {
    while (at < end && json_is_blank(*at))
        at++;
    return at;
}

/* Whether `key` and a colon stand there; quotes may be missing or too many, not all. */
static bool is_key(const char *key, const char *at, const char *end) {
    size_t quotes = 0;
    for (; at < end && (*at == '"' || *at == *key || json_is_blank(*at)) && *at; at++) {
        quotes += *at == '"';
        key += *at == *key;
    }
    return at < end && *at == ':' && *key == '\0' && quotes > 0;
}

static bool is_value_of_member(const char *begin, const char *at) {
    while (at > begin && json_is_blank(at[-1]))
        at--;
    return at > begin && at[-1] == ':';
}

/* An object that begins with one of the keys, whose number is *ret_key. */
static const char *find_object(const char *const *keys, const char *begin, const char *from,
                               const char *end, size_t *ret_key) {
    for (const char *at = from; at < end && (at = memchr(at, '{', (size_t)(end - at))); at++) {
        const char *inside = skip_record_blanks(at + 1, end);
        for (*ret_key = 0; keys[*ret_key]; ++*ret_key)
            if (is_key(keys[*ret_key], inside, end) && !is_value_of_member(begin, at))
                return at;
    }
    return NULL;
}

/* Whether a member of that name stands somewhere in the text. */
static bool record_mentions(const char *key, const char *at, const char *end) {
    for (; at < end && (at = memchr(at, *key, (size_t)(end - at))); at++)
        if ((json_is_blank(at[-1]) || strchr("\",{", at[-1])) &&
            is_key(key, at - (at[-1] == '"'), end))
            return true;
    return false;
}

/* Behind the string that begins there, or NULL. */
static const char *record_string_end(const char *at, const char *end) {
    struct json_scan scan = {0};
    return at < end && *at == '"' ? json_scan(&scan, at, end) : NULL;
}

static bool is_any_key(const char *at, const char *end) {
    const char *behind = record_string_end(at, end);
    behind = behind ? skip_record_blanks(behind, end) : end;
    return behind == end || *behind == ':';
}

const char *json_landmarks_stranger_end(const char *at, const char *end) {
    struct json_lint lint = {0};
    const char *behind = at;
    if (at == end || *at == '{' || *at == '[' || json_lint(&lint, &behind, end) != JSON_WHOLE ||
        memchr(at, '{', (size_t)(behind - at)))
        return NULL;
    const char *next = skip_record_blanks(behind, end);
    return next < end && (*next == ',' || *next == ']') ? behind : NULL;
}

/* Behind a comma, an element that is no object and whatever such elements follow it. */
static const char *skip_strangers(const char *at, const char *end) {
    const char *behind = at;
    while (behind) {
        at = behind;
        const char *comma = skip_record_blanks(at, end);
        if (comma == end || *comma != ',')
            break;
        behind = json_landmarks_stranger_end(skip_record_blanks(comma + 1, end), end);
    }
    return at;
}

bool json_landmarks_follow(const char *const *keys, const char *at, const char *end) {
    at = skip_strangers(at, end);
    while (at < end && (json_is_blank(*at) || *at == ',' || *at == '"'))
        at++; /* a quote of nobody is no reason to give up a record */
    if (at == end || *at == ']')
        return true;
    const char *inside = skip_record_blanks(at + 1, end);
    if (*at != '{' || inside == end)
        return *at == '{';
    for (size_t i = 0; keys[i]; i++)
        if (is_key(keys[i], inside, end))
            return true;
    return *inside == '}' || (*inside == '"' && is_any_key(inside, end));
}

/* Whether the object that begins with another key is a record: it has the first one; if it is
   damaged, that stands in front of the next. *ret_behind is where to look on. */
static bool is_record(const char *const *keys, const char *at, const char *end,
                      const char **ret_behind, int64_t *budget) {
    struct json_lint lint = {0};
    size_t key;
    *ret_behind = at;
    bool is_whole =
        json_lint(&lint, ret_behind, end - at > MOST_OBJECT ? at + MOST_OBJECT : end) == JSON_WHOLE;
    *budget -= *ret_behind - at;
    if (is_whole && json_landmarks_follow(keys, *ret_behind, end))
        return json_find((struct slice){at, (size_t)(*ret_behind - at)}, keys[0]).at;
    const char *next = find_object(keys, at, at + 1, end, &key);
    *ret_behind = next ? next : end;
    return record_mentions(keys[0], at + 1, *ret_behind);
}

const char *json_landmarks_find(const char *const *keys, const char *begin, const char *from,
                                const char *end, int64_t *budget) {
    size_t key;
    const char *behind;
    for (const char *at = from; *budget >= 0 && (at = find_object(keys, begin, at, end, &key));
         at = behind)
        if (key == 0 || is_record(keys, at, end, &behind, budget))
            return at;
    return NULL;
}

const char *json_landmarks_end(const char *from, const char *end) {
    for (const char *at = from; at < end && (at = memchr(at, '}', (size_t)(end - at))); at++) {
        const char *bracket = skip_record_blanks(at + 1, end);
        if (bracket == end || *bracket != ']')
            continue;
        const char *next = skip_record_blanks(bracket + 1, end);
        if (next == end || *next == '}')
            return bracket;
        const char *behind =
            *next == ',' ? record_string_end(skip_record_blanks(next + 1, end), end) : NULL;
        behind = behind ? skip_record_blanks(behind, end) : NULL;
        if (behind && behind < end && *behind == ':')
            return bracket;
    }
    return NULL;
}
