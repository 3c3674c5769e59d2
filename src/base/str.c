/* Growing text, and the nearest name for "did you mean". */
#include "base/str.h"

#include "base/mem.h"
#include "base/numfmt.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

/* --- utf8: as RFC 3629 has it: no surrogates, nothing longer than needed --- */

uint32_t utf8_next(const unsigned char **text) {
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *at = *text;
    size_t length = *at < 0x80                  ? 1
                    : *at >= 0xc2 && *at < 0xe0 ? 2
                    : *at >= 0xe0 && *at < 0xf0 ? 3
                    : *at >= 0xf0 && *at < 0xf5 ? 4
                                                : 0;
    uint32_t point = length == 1 ? *at : *at & (0x7fU >> length);
    for (size_t i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80)
            length = 0;
        else
            point = point << 6 | (at[i] & 0x3f);
    }
    bool good = length > 0 && point >= least[length] && point <= 0x10ffff &&
                (point < 0xd800 || point > 0xdfff);
    *text = at + (good ? length : 1);
    return good ? point : 0xfffd;
}

/* Turns the direction of what stands around it, begins a line, or takes no room. */
static bool is_unseen(uint32_t point) {
    return (point >= 0x200b && point <= 0x200f) || (point >= 0x2028 && point <= 0x202e) ||
           (point >= 0x2066 && point <= 0x2069) || point == 0xfeff;
}

bool utf8_is_printable(const char *text, bool newlines) {
    const unsigned char *at = (const unsigned char *)text;
    while (*at) {
        const unsigned char *from = at;
        uint32_t point = utf8_next(&at);
        bool control = point < 0x20 || (point >= 0x7f && point < 0xa0);
        bool stray = point == 0xfffd && at == from + 1; /* a byte that begins no character */
        if (stray || is_unseen(point) || (control && !(newlines && point == '\n')))
            return false;
    }
    return true;
}

/* --- str --- */

bool slice_same(struct slice one, struct slice other) {
    return one.length == other.length &&
           (one.length == 0 || memcmp(one.at, other.at, one.length) == 0);
}

bool slice_line(struct slice *text, struct slice *ret_line) {
    const char *end = text->length > 0 ? memchr(text->at, '\n', text->length) : NULL;
    if (!end)
        return false;
    *ret_line = (struct slice){text->at, (size_t)(end - text->at)};
    text->length -= ret_line->length + 1;
    text->at = end + 1;
    return true;
}

bool slice_begins(struct slice slice, const char *text) {
    size_t length = strlen(text);
    return slice.length >= length && memcmp(slice.at, text, length) == 0;
}

bool slice_is_word(struct slice slice, const char *word) {
    size_t length = strlen(word);
    if (slice.length != length || length == 0)
        return slice.length == length;
    return ((slice.at[0] ^ word[0]) & ~0x20) == 0 && strncasecmp(slice.at, word, length) == 0;
}

bool slice_parse_whole(struct slice slice, int64_t *value) {
    double real;
    if (numfmt_parse_int(slice.at, slice.length, value))
        return true;
    if (!numfmt_parse_real(slice.at, slice.length, &real) || fabs(real) > 0x1p53 ||
        trunc(real) != real)
        return false;
    *value = (int64_t)real;
    return true;
}

const char *slice_find(struct slice slice, const char *text) {
    return slice.length > 0 ? memmem(slice.at, slice.length, text, strlen(text)) : NULL;
}

void str_grow(struct str *str, size_t bytes) {
    size_t needed, doubled = str->capacity < 32 ? 64 : 2 * str->capacity;
    if (__builtin_add_overflow(str->length + 1, bytes, &needed))
        needed = SIZE_MAX; /* ends in "out of memory" */
    str->capacity = needed > doubled ? needed : doubled;
    str->text = mem_realloc(str->text, str->capacity, 1);
}

void str_add_visible(struct str *str, const char *text) {
    while (*text) {
        const unsigned char *end = (const unsigned char *)text;
        (void)utf8_next(&end);
        size_t length = (size_t)((const char *)end - text);
        char one[5] = {0};
        memcpy(one, text, length);
        bool printable = utf8_is_printable(one, false);
        for (size_t i = 0; i < length && !printable; i++)
            str_addf(str, "\\x%02x", (unsigned char)one[i]);
        str_add(str, printable ? one : "");
        text += length;
    }
}

void str_addv(struct str *str, const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    char *to = str_reserve(str, 0);
    size_t room = str->capacity - str->length;
    int length = vsnprintf(to, room, format, again);
    va_end(again);
    if (length < 0)
        return;
    if ((size_t)length >= room)
        vsnprintf(str_reserve(str, (size_t)length), (size_t)length + 1, format, arguments);
    str->length += (size_t)length;
}

void str_addf(struct str *str, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    str_addv(str, format, arguments);
    va_end(arguments);
}

void str_add_int(struct str *str, int64_t value) {
    str->length += numfmt_int(str_reserve(str, NUMFMT_BYTES), value);
}

void str_add_real(struct str *str, double value) {
    char *to = str_reserve(str, NUMFMT_BYTES);
    to[0] = '\0';
    if (isfinite(value))
        str->length += numfmt_real(to, value);
}

void str_add_ns(struct str *str, int64_t time_ns) {
    str->length += numfmt_ns(str_reserve(str, NUMFMT_BYTES), time_ns);
}

void str_finish(struct str *str) {
    if (!str)
        return;
    free(str->text);
    *str = (struct str){0};
}

#define NAME_MAX_LENGTH 64 /* nobody means a longer name */

static size_t smaller_size(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Optimal string alignment: insert, delete, replace, swap of neighbours cost 1 each (Damerau 1964).
   Row i of the table depends on rows i-1 and i-2 only. */
static size_t edit_distance(const char *a, size_t a_length, const char *b, size_t b_length) {
    size_t rows[3][NAME_MAX_LENGTH + 1];
    for (size_t j = 0; j <= b_length; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i - 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            row[j] = smaller_size(above[j] + 1, row[j - 1] + 1);
            row[j] = smaller_size(row[j], above[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = smaller_size(row[j], rows[(i - 2) % 3][j - 2] + 1);
        }
    }
    return rows[a_length % 3][b_length];
}

const char *str_nearest(const char *word, const char *const *names, size_t count) {
    size_t length = strlen(word);
    if (length > NAME_MAX_LENGTH)
        return NULL;
    const char *nearest = NULL;
    size_t best = length < 6 ? 2 : 1 + length / 4 + 1; /* first distance that is too far */
    for (size_t i = 0; i < count; i++) {
        size_t name_length = strlen(names[i]);
        if (name_length > NAME_MAX_LENGTH)
            continue;
        size_t distance = edit_distance(word, length, names[i], name_length);
        if (distance < best) {
            best = distance;
            nearest = names[i];
        }
    }
    for (size_t i = 0; i < count && !nearest && length >= 3; i++)
        if (strncmp(word, names[i], length) == 0)
            nearest = names[i];
    return nearest;
}

const char *str_suggestion(struct arena *arena, const char *word, const char *const *names,
                           size_t count) {
    const char *near = str_nearest(word, names, count);
    return near ? arena_printf(arena, ", did you mean \"%s\"?", near) : "";
}
