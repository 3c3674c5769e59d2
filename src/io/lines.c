/* A text file line by line. Invariant: buffer[begin..end) are decoded bytes not yet handed out, and
   buffer[begin..scanned) holds no line end. */
#include "io/lines.h"
#include "base/mem.h"
#include "io/bytes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUFFER_BYTES ((size_t)256 << 10) /* decoded bytes; doubled for longer lines */

struct lines {
    struct bytes *bytes;
    char *buffer;
    size_t begin, scanned, end, capacity;
    bool ended;   /* nothing more to decode */
    bool has_nul; /* some byte decoded so far was NUL: look for it in every line */
    bool partial; /* the last line had no line end */
    uint32_t number;
    struct error failure; /* code 0 until reading fails for good */
};

static struct lines *begin_lines(struct bytes *bytes, size_t capacity) {
    struct lines *lines = mem_zalloc(1, sizeof *lines);
    lines->bytes = bytes;
    lines->capacity = capacity;
    lines->buffer = mem_zalloc(lines->capacity + LINES_BEHIND, 1);
    return lines;
}

int lines_open(const char *path, struct lines **ret_lines, struct error *reterr) {
    struct bytes *bytes;
    int status = bytes_open(path, &bytes, reterr);
    if (status < 0)
        return status;
    *ret_lines = begin_lines(bytes, BUFFER_BYTES);
    return 0;
}

struct lines *lines_of_text(struct slice text, const char *name) {
    return begin_lines(bytes_of_text(text, name), text.length + 1);
}

void lines_close(struct lines *lines) {
    if (!lines)
        return;
    bytes_close(lines->bytes);
    free(lines->buffer);
    free(lines);
}

/* Decodes more bytes behind those that are there, making room first. */
static int fill_lines(struct lines *lines, struct error *reterr) {
    if (lines->begin > 0) {
        memmove(lines->buffer, lines->buffer + lines->begin, lines->end - lines->begin);
        lines->end -= lines->begin;
        lines->scanned -= lines->begin;
        lines->begin = 0;
    }
    if (lines->end == lines->capacity) {
        lines->capacity *= 2;
        lines->buffer = mem_realloc(lines->buffer, lines->capacity + LINES_BEHIND, 1);
    }
    char after[32];
    snprintf(after, sizeof after, " after line %u", (unsigned)lines->number);
    ssize_t count = bytes_read(lines->bytes, lines->buffer + lines->end,
                               lines->capacity - lines->end, after, reterr);
    if (count < 0)
        return (int)count;
    lines->ended = count == 0;
    if (!lines->has_nul)
        lines->has_nul = memchr(lines->buffer + lines->end, '\0', (size_t)count) != NULL;
    lines->end += (size_t)count;
    return 0;
}

static struct slice without_bom(struct slice line) {
    if (line.length >= 3 && memcmp(line.at, "\xef\xbb\xbf", 3) == 0)
        return (struct slice){line.at + 3, line.length - 3};
    return line;
}

/* A NUL byte spoils only its line: the caller may read on. */
static int check_nul(const struct lines *lines, struct slice line, struct error *reterr) {
    const char *nul = line.length > 0 ? memchr(line.at, '\0', line.length) : NULL;
    if (!nul)
        return 0;
    return error_set(reterr, ERROR_INPUT, "%s:%u:%zu: NUL byte (is this a text file in UTF-8?)",
                     bytes_name(lines->bytes), (unsigned)lines->number,
                     (size_t)(nul - line.at) + 1);
}

/* Hands out buffer[begin..line_end). has_end: a LF stands there; else there is room for one, since
   the end of the file was found by reading into it. */
static int take_line(struct lines *lines, size_t line_end, bool has_end, struct slice *ret_line,
                     struct error *reterr) {
    struct slice line = {lines->buffer + lines->begin, line_end - lines->begin};
    lines->buffer[line_end] = '\n';
    lines->begin = lines->scanned = line_end + has_end;
    if (has_end && line.length > 0 && line.at[line.length - 1] == '\r')
        line.length--;
    if (lines->number == 0)
        line = without_bom(line);
    if (!has_end && line.length == 0)
        return 0; /* a file of nothing but a byte order mark */
    lines->number++;
    lines->partial = !has_end;
    int status = lines->has_nul ? check_nul(lines, line, reterr) : 0;
    if (status < 0)
        return status;
    *ret_line = line;
    return 1;
}

static int find_line(struct lines *lines, struct slice *line, struct error *reterr) {
    for (;;) {
        const char *end = memchr(lines->buffer + lines->scanned, '\n', lines->end - lines->scanned);
        size_t line_end = end ? (size_t)(end - lines->buffer) : lines->end;
        if (line_end - lines->begin > LINES_MAX_BYTES)
            return error_set(reterr, ERROR_IO, "%s:%u:1: line longer than %u bytes",
                             bytes_name(lines->bytes), (unsigned)lines->number + 1,
                             LINES_MAX_BYTES);
        if (!end && lines->ended && lines->begin == lines->end)
            return 0;
        if (end || lines->ended)
            return take_line(lines, line_end, end != NULL, line, reterr);
        lines->scanned = lines->end;
        int status = fill_lines(lines, reterr);
        if (status < 0)
            return status;
    }
}

int lines_next(struct lines *lines, struct slice *line, struct error *reterr) {
    if (lines->failure.code != 0)
        return error_set(reterr, lines->failure.code, "%s", lines->failure.text);
    struct error failure; /* only filled and read on failure */
    int status = find_line(lines, line, &failure);
    if (status >= 0)
        return status;
    if (status == ERROR_IO)
        lines->failure = failure; /* for good: reading on would only garble */
    return error_set(reterr, status, "%s", failure.text);
}

uint32_t lines_number(const struct lines *lines) {
    return lines->number;
}

bool lines_is_damaged(const struct lines *lines) {
    return bytes_is_damaged(lines->bytes);
}

bool lines_ended_partial(const struct lines *lines) {
    return lines->partial;
}
