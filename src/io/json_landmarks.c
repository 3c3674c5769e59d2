/* Landmarks in damaged JSON: see json_landmarks.h. */
#include "io/json_landmarks.h"

#include "io/json_lint.h"
#include "io/json_text.h"

#include <stddef.h>
#include <string.h>

#define MOST_OBJECT 65536 /* bytes of an object that is no record; usual are hundreds */

static bool is_record_blank(char c) {
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static const char *skip_record_blanks(const char *at, const char *end) {
    while (at < end && is_record_blank(*at))
        at++;
    return at;
}

/* Whether `key` and a colon stand there; quotes may be missing or too many, as long as there is
 * one. */
static bool is_key(const char *key, const char *at, const char *end) {
    size_t quotes = 0;
    for (; at < end && (*at == '"' || *at == *key || is_record_blank(*at)) && *at; at++) {
        quotes += *at == '"';
        key += *at == *key;
    }
    return at < end && *at == ':' && *key == '\0' && quotes > 0;
}

static bool is_value_of_member(const char *begin, const char *at) {
    while (at > begin && is_record_blank(at[-1]))
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
        if ((is_record_blank(at[-1]) || strchr("\",{", at[-1])) &&
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
    while (at < end && (is_record_blank(*at) || *at == ',' || *at == '"'))
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
