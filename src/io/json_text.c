/* JSON where it lies. Invariant: every function reads each byte of its text at most once. */
#include "io/json_text.h"

#include "base/numfmt.h"
#include "base/word.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum { INSIDE_NOTHING, INSIDE_STRING, INSIDE_ESCAPE, INSIDE_SCALAR };

/* ---- Ends of values ---- */

/* Behind the closing quote, or NULL. */
static const char *scan_string(struct json_scan *scan, const char *at, const char *end) {
    while (at < end) {
        if (scan->inside == INSIDE_ESCAPE) {
            scan->inside = INSIDE_STRING;
            at++;
            continue;
        }
        at = word_find_either(at, end, '"', '\\');
        if (at == end)
            return NULL;
        scan->inside = *at++ == '"' ? INSIDE_NOTHING : INSIDE_ESCAPE;
        if (scan->inside == INSIDE_NOTHING)
            return at;
    }
    return NULL;
}

static const char *scan_scalar(const char *at, const char *end) {
    for (; at < end; at++)
        if (json_is_blank(*at) || *at == ',' || *at == ':' || *at == '}' || *at == ']')
            return at;
    return NULL;
}

/* Up to the bracket that closes the value, or NULL. */
static const char *scan_brackets(struct json_scan *scan, const char *at, const char *end) {
    static const bool stops[256] = {
        ['"'] = true, ['{'] = true, ['['] = true, ['}'] = true, [']'] = true};
    for (;;) {
        while (at < end && !stops[(unsigned char)*at])
            at++;
        if (at == end)
            return NULL;
        switch (*at++) {
        case '"':
            scan->inside = INSIDE_STRING;
            at = scan_string(scan, at, end);
            if (!at)
                return NULL;
            break;
        case '{':
        case '[':
            scan->depth++;
            break;
        case '}':
        case ']':
            if (--scan->depth == 0)
                return at;
            break;
        default:
            break;
        }
    }
}

const char *json_scan(struct json_scan *scan, const char *at, const char *end) {
    if (scan->depth == 0 && scan->inside == INSIDE_NOTHING) { /* the first byte says what it is */
        if (at == end)
            return NULL;
        if (*at == '{' || *at == '[') {
            scan->depth = 1;
            return scan_brackets(scan, at + 1, end);
        }
        scan->inside = *at == '"' ? INSIDE_STRING : INSIDE_SCALAR;
        at += *at == '"';
    }
    if (scan->inside == INSIDE_SCALAR)
        return scan_scalar(at, end);
    if (scan->inside != INSIDE_NOTHING) {
        at = scan_string(scan, at, end);
        if (!at || scan->depth == 0)
            return at;
    }
    return scan_brackets(scan, at, end);
}

/* ---- Members ---- */

struct json_cursor json_inside(struct slice value) {
    if (value.length < 2 || (value.at[0] != '{' && value.at[0] != '['))
        return (struct json_cursor){0};
    return (struct json_cursor){value.at + 1, value.at + value.length - 1};
}

static const char *skip_json_blanks(const char *at, const char *end) {
    while (at < end && (json_is_blank(*at) || *at == ','))
        at++;
    return at;
}

/* Of a scalar at the very end of the text, the end. */
static const char *value_end(const char *at, const char *end) {
    struct json_scan scan = {0};
    const char *behind = json_scan(&scan, at, end);
    return behind ? behind : end;
}

bool json_element(struct json_cursor *cursor, struct slice *value) {
    const char *at = skip_json_blanks(cursor->at, cursor->end);
    if (at == cursor->end)
        return false;
    const char *behind = value_end(at, cursor->end);
    *value = (struct slice){at, (size_t)(behind - at)};
    cursor->at = behind;
    return behind > at; /* no progress: a bracket that closes nothing */
}

bool json_member(struct json_cursor *cursor, struct slice *key, struct slice *value) {
    const char *end = cursor->end;
    const char *at = skip_json_blanks(cursor->at, end);
    if (at == end || *at != '"')
        return false;
    const char *behind = value_end(at, end);
    *key = json_string((struct slice){at, (size_t)(behind - at)});
    while (behind < end && json_is_blank(*behind))
        behind++;
    if (behind == end || *behind != ':')
        return false;
    behind++;
    while (behind < end && json_is_blank(*behind))
        behind++;
    const char *last = value_end(behind, end);
    *value = (struct slice){behind, (size_t)(last - behind)};
    cursor->at = last;
    return true;
}

struct slice json_find(struct slice object, const char *key) {
    struct json_cursor cursor = json_inside(object);
    struct slice name, value;
    while (json_member(&cursor, &name, &value))
        if (slice_is(name, key))
            return value;
    return (struct slice){0};
}

/* ---- Scalars ---- */

bool json_is_string(struct slice value) {
    return value.length >= 2 && value.at[0] == '"';
}

struct slice json_string(struct slice value) {
    return json_is_string(value) ? (struct slice){value.at + 1, value.length - 2} : value;
}

bool json_real(struct slice value, double *number) {
    struct slice text = json_string(value);
    return text.length > 0 && numfmt_parse_real(text.at, text.length, number) && isfinite(*number);
}

bool json_integer(struct slice value, int64_t *number) {
    struct slice text = json_string(value);
    return text.length > 0 && numfmt_parse_int(text.at, text.length, number);
}

static bool digit_at(const char *at, const char *end) {
    return at < end && *at >= '0' && *at <= '9';
}

/* Three decimals as an integer; the fourth rounds. */
static int64_t thousandths(const char **at, const char *end) {
    int64_t value = 0;
    int count = 0;
    bool up = false;
    for (; digit_at(*at, end); ++*at, count++) {
        if (count < 3)
            value = value * 10 + (**at - '0');
        up = up || (count == 3 && **at >= '5');
    }
    for (; count < 3; count++)
        value *= 10;
    return value + up;
}

#define MOST_WHOLE_US INT64_C(4000000000000000) /* year 2096; differences of nanoseconds fit */

bool json_microseconds(struct slice value, int64_t *time_ns) {
    const char *at = value.at, *end = value.at + value.length;
    bool negative = at < end && *at == '-';
    at += negative;
    int64_t whole = 0, part = 0;
    const char *digits = at;
    for (; digit_at(at, end) && whole <= MOST_WHOLE_US / 10; at++)
        whole = whole * 10 + (*at - '0');
    bool plain = at > digits && whole <= MOST_WHOLE_US;
    if (at < end && *at == '.') {
        at++;
        part = thousandths(&at, end);
    }
    if (plain && at == end) {
        *time_ns = (negative ? -1 : 1) * (whole * 1000 + part);
        return true;
    }
    double us; /* 1.7e15, or in quotes */
    if (!json_real(value, &us) || fabs(us) > (double)MOST_WHOLE_US)
        return false;
    *time_ns = llround(us * 1000);
    return true;
}

/* ---- Strict JSON ---- */

#define MOST_NESTED 512

struct check {
    const char *at, *end;
    char open[MOST_NESTED]; /* closing brackets awaited */
    size_t depth;
};

static bool check_string(struct check *check) {
    if (check->at == check->end || *check->at++ != '"')
        return false;
    while (check->at < check->end) {
        unsigned char byte = (unsigned char)*check->at++;
        if (byte == '"')
            return true;
        if (byte < 0x20)
            return false;
        if (byte != '\\')
            continue;
        if (check->at == check->end || !strchr("\"\\/bfnrtu", *check->at) || *check->at == '\0')
            return false;
        if (*check->at++ == 'u') {
            for (int i = 0; i < 4; i++, check->at++)
                if (check->at == check->end || !isxdigit((unsigned char)*check->at))
                    return false;
        }
    }
    return false;
}

static size_t skip_digits(struct check *check) {
    const char *begin = check->at;
    while (digit_at(check->at, check->end))
        check->at++;
    return (size_t)(check->at - begin);
}

static bool check_number(struct check *check) {
    if (check->at < check->end && *check->at == '-')
        check->at++;
    bool zero = check->at < check->end && *check->at == '0';
    size_t whole = skip_digits(check);
    if (whole == 0 || (zero && whole > 1))
        return false;
    if (check->at < check->end && *check->at == '.') {
        check->at++;
        if (skip_digits(check) == 0)
            return false;
    }
    if (check->at < check->end && (*check->at == 'e' || *check->at == 'E')) {
        check->at++;
        if (check->at < check->end && (*check->at == '+' || *check->at == '-'))
            check->at++;
        return skip_digits(check) > 0;
    }
    return true;
}

static bool check_scalar(struct check *check) {
    static const char *const words[] = {"true", "false", "null"};
    if (check->at < check->end && *check->at == '"')
        return check_string(check);
    for (size_t i = 0; i < 3; i++) {
        size_t length = strlen(words[i]);
        if ((size_t)(check->end - check->at) >= length &&
            memcmp(check->at, words[i], length) == 0) {
            check->at += length;
            return true;
        }
    }
    return check_number(check);
}

static void check_blanks(struct check *check) {
    while (check->at < check->end && json_is_blank(*check->at))
        check->at++;
}

static bool check_byte(struct check *check, char byte) {
    check_blanks(check);
    if (check->at == check->end || *check->at != byte)
        return false;
    check->at++;
    return true;
}

/* A key and its colon where an object is open. */
static bool check_object_key(struct check *check) {
    if (check->depth == 0 || check->open[check->depth - 1] != '}')
        return true;
    check_blanks(check);
    return check_string(check) && check_byte(check, ':');
}

/* Behind a value: closes what ends here; *more tells whether another value follows. */
static bool check_behind(struct check *check, bool *more) {
    *more = false;
    while (check->depth > 0) {
        if (check_byte(check, ',')) {
            *more = true;
            return check_object_key(check);
        }
        if (!check_byte(check, check->open[check->depth - 1]))
            return false;
        check->depth--;
    }
    return true;
}

bool json_is_valid(struct slice text) {
    struct check c = {.at = text.at, .end = text.at + text.length};
    for (bool more = true; more;) {
        check_blanks(&c);
        if (c.at == c.end)
            return false;
        if (*c.at == '{' || *c.at == '[') {
            if (c.depth == MOST_NESTED)
                return false;
            c.open[c.depth++] = *c.at++ == '{' ? '}' : ']';
            if (check_byte(&c, c.open[c.depth - 1]))
                c.depth--;
            else if (check_object_key(&c))
                continue;
            else
                return false;
        } else if (!check_scalar(&c)) {
            return false;
        }
        if (!check_behind(&c, &more))
            return false;
    }
    check_blanks(&c);
    return c.at == c.end;
}

/* --- json_write --- */

void json_write_text(struct str *out, const char *text) {
    const unsigned char *at = (const unsigned char *)text;
    str_add_char(out, '"');
    while (*at) {
        const unsigned char *begin = at;
        uint32_t point = utf8_next(&at);
        if (point == '"' || point == '\\')
            str_addf(out, "\\%c", (int)point);
        else if (point < 0x20)
            str_addf(out, "\\u%04x", (unsigned)point);
        else if (point == 0xfffd)
            str_add(out, "\xef\xbf\xbd");
        else
            str_add_bytes(out, (const char *)begin, (size_t)(at - begin));
    }
    str_add_char(out, '"');
}
