/* JSON where it lies: finds the ends of values and walks through members without building anything.
   Made for files that are almost JSON (bare NaN, raw control bytes, trailing commas), it checks
   only what it needs to go on. Nesting costs a counter, not a stack. */
#ifndef EASIM_IO_JSON_TEXT_H
#define EASIM_IO_JSON_TEXT_H

#include "base/str.h"

/* Where a scan stands inside one value. Zero-initialise at the first byte of the value. */
struct json_scan {
    uint32_t depth;
    uint8_t inside; /* 0, or what is open besides brackets: string, escape or scalar */
};

static inline bool json_is_blank(char c) {
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}
/* The byte behind the value, or NULL if it goes on behind `end` (call again with more). */
const char *json_scan(struct json_scan *scan, const char *at, const char *end);

/* The part of an object or array not yet walked through. */
struct json_cursor {
    const char *at, *end;
};

struct json_cursor
json_inside(struct slice value); /* of an object or array; of anything else nothing */
/* The next member; false at the end or where the text is no JSON at all. key without its quotes, as
   written; value as written. */
bool json_member(struct json_cursor *cursor, struct slice *key, struct slice *value);
bool json_element(struct json_cursor *cursor, struct slice *value);
/* The value of the first member with that name; empty if there is none. */
struct slice json_find(struct slice object, const char *key);

bool json_is_string(struct slice value);
struct slice json_string(
    struct slice value); /* without quotes, escapes as written; of a non-string the value itself */
bool json_real(struct slice value,
               double *number); /* also a number in quotes; false: not a finite number */
bool json_integer(struct slice value, int64_t *number);
/* Microseconds in decimal as nanoseconds, exactly; digits past the third decimal are rounded. */
bool json_microseconds(struct slice value, int64_t *time_ns);

/* Whether text is one value by RFC 8259, nested at most 512 deep. */
bool json_is_valid(struct slice text);

/* --- json_write --- */
/* Text as JSON (RFC 8259): quotes, backslashes and control characters become escapes. */

/* Appends text in quotes. What is no UTF-8 becomes U+FFFD. */
void json_write_text(struct str *out, const char *text);

#endif
