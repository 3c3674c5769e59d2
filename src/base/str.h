/* A growing text buffer (struct str), and slices of text owned by somebody else (struct slice). */
#ifndef EASIM_BASE_STR_H
#define EASIM_BASE_STR_H

#include "base/arena.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Text not terminated by NUL; length 0 = empty (at may then be NULL). */
struct slice {
    const char *at;
    size_t length;
};

/* Inline: of a literal its length is known, and readers ask this of every member of a file. */
static inline bool slice_is(struct slice slice, const char *text) {
    size_t length = strlen(text);
    return slice.length == length && (length == 0 || memcmp(slice.at, text, length) == 0);
}

bool slice_begins(struct slice slice, const char *text);
bool slice_is_word(struct slice slice, const char *word); /* in capitals or not (ASCII) */
/* A whole number, also written as "66.0" or "1e3" (up to 2^53). *value is untouched on failure. */
bool slice_parse_whole(struct slice slice, int64_t *value);
bool slice_same(struct slice one, struct slice other);
/* Takes the next line, which has an end, without it; false: there is none. */
bool slice_line(struct slice *text, struct slice *ret_line);
const char *slice_find(struct slice slice, const char *text); /* the first place, or NULL */

/* A text in pieces, each valid until the next one; an empty one is its end. */
struct text_source {
    struct slice (*next)(void *context);
    void *context;
};

/* Zero-initialise; text is NUL-terminated after any str_add; release with str_finish. */
struct str {
    char *text;
    size_t length;
    size_t capacity;
};

void str_grow(struct str *str, size_t bytes); /* for str_reserve */

/* Room for bytes more; returns the write position. */
static inline char *str_reserve(struct str *str, size_t bytes) {
    if (str->capacity - str->length <= bytes)
        str_grow(str, bytes);
    return str->text + str->length;
}

static inline void str_add_bytes(struct str *str, const char *text, size_t length) {
    char *to = str_reserve(str, length);
    if (length > 0)
        memcpy(to, text, length);
    to[length] = '\0';
    str->length += length;
}

static inline void str_add(struct str *str, const char *text) {
    str_add_bytes(str, text, strlen(text));
}

static inline void str_add_char(struct str *str, char c) {
    char *to = str_reserve(str, 1);
    to[0] = c;
    to[1] = '\0';
    str->length++;
}

void str_addf(struct str *str, const char *format, ...) __attribute__((format(printf, 2, 3)));
void str_addv(struct str *str, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));
/* Text from elsewhere, for a terminal: what utf8_is_printable refuses as \xHH. */
void str_add_visible(struct str *str, const char *text);
void str_add_int(struct str *str, int64_t value);
void str_add_real(struct str *str,
                  double value); /* numfmt_real; NaN and infinity add nothing (an empty cell) */
void str_add_ns(struct str *str,
                int64_t time_ns); /* numfmt_ns: seconds as a decimal of the int64 */
void str_finish(struct str *str);

/* The name of the list nearest to word (edit distance 1, of longer words 1 + length/4), else one
   that it begins, else NULL: for "did you mean". */
const char *str_nearest(const char *word, const char *const *names, size_t count);

/* ", did you mean \"NAME\"?" with the nearest name, or "" if none is near; ends a message. In the
   arena. */
const char *str_suggestion(struct arena *arena, const char *word, const char *const *names,
                           size_t count);

/* --- utf8: characters of UTF-8, one by one --- */

/* The code point at *text, which ends with a NUL and is not at it, and moves behind it; U+FFFD for
 * a byte that begins none. */
uint32_t utf8_next(const unsigned char **text);

/* Whether all of the text is UTF-8 without control characters (also those of Unicode that turn the
   direction of text, break its lines or cannot be seen); newlines: but for these. */
bool utf8_is_printable(const char *text, bool newlines);

#endif
