/* Values out of a JSON file. Invariant: buffer[begin..end) are decoded bytes not yet handed out, the first of them
   at byte `offset` of the decoded file. */
#include "io/json_stream.h"

#include "base/mem.h"
#include "io/bytes.h"
#include "io/json_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUFFER_BYTES ((size_t)256 << 10)

enum place { AT_TOP, IN_OBJECT, IN_ARRAY, AT_END };

struct json_stream {
    struct bytes *bytes;
    char *array;  /* name of the array that is walked */
    char *parent; /* of the object around it, or NULL */
    bool in_parent;
    char start[16];
    char *buffer;
    size_t begin, end, capacity;
    uint64_t offset;
    bool ended;
    enum place place;
    bool in_member; /* the array is a member of an object */
    uint64_t repairs;
    char key[64];
    char truncation[128];
    bool damaged; /* the compressed data ended early */
};

int json_stream_open(const char *path, const char *array, struct json_stream **ret_stream, struct error *reterr) {
    struct bytes *bytes;
    int status = bytes_open(path, &bytes, reterr);
    if (status < 0)
        return status;
    struct json_stream *stream = mem_zalloc(1, sizeof *stream);
    stream->bytes = bytes;
    const char *dot = strchr(array, '.');
    stream->array = mem_strdup(dot ? dot + 1 : array);
    if (dot) {
        stream->parent = mem_strdup(array);
        stream->parent[dot - array] = '\0';
    }
    stream->capacity = BUFFER_BYTES;
    stream->buffer = mem_alloc(stream->capacity);
    *ret_stream = stream;
    return 0;
}

void json_stream_resume_at(struct json_stream *stream, const char *start) {
    snprintf(stream->start, sizeof stream->start, "%s", start);
}

void json_stream_close(struct json_stream *stream) {
    if (!stream)
        return;
    bytes_close(stream->bytes);
    free(stream->array);
    free(stream->parent);
    free(stream->buffer);
    free(stream);
}

const char *json_stream_truncation(const struct json_stream *stream) {
    return stream->truncation[0] ? stream->truncation : NULL;
}

uint64_t json_stream_repairs(const struct json_stream *stream) {
    return stream->repairs;
}

uint64_t json_stream_byte_count(const struct json_stream *stream) {
    return stream->offset + (stream->end - stream->begin);
}

/* ---- Bytes ---- */

static void consume_to(struct json_stream *stream, size_t position) {
    stream->offset += position - stream->begin;
    stream->begin = position;
}

/* More bytes behind those that are there; *moved tells by how much the old ones moved down. Compressed data that
   end early are an end like any other. */
static int decode_more(struct json_stream *stream, size_t *moved, struct error *reterr) {
    *moved = stream->begin;
    memmove(stream->buffer, stream->buffer + stream->begin, stream->end - stream->begin);
    stream->end -= stream->begin;
    stream->begin = 0;
    if (stream->end == stream->capacity) {
        stream->capacity *= 2;
        stream->buffer = mem_realloc(stream->buffer, stream->capacity, 1);
    }
    ssize_t count =
        bytes_read(stream->bytes, stream->buffer + stream->end, stream->capacity - stream->end, "", reterr);
    if (count < 0 && bytes_is_damaged(stream->bytes)) {
        stream->damaged = true;
        count = 0;
    }
    if (count < 0)
        return (int)count;
    stream->ended = count == 0;
    stream->end += (size_t)count;
    return 0;
}

/* The next byte that is no blank and not a comma (those are not checked), or -1 at the end; not consumed. */
static int peek(struct json_stream *stream, int *ret_byte, struct error *reterr) {
    for (;;) {
        for (size_t at = stream->begin; at < stream->end; at++) {
            char c = stream->buffer[at];
            if (c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == ',')
                continue;
            consume_to(stream, at);
            *ret_byte = (unsigned char)c;
            return 0;
        }
        consume_to(stream, stream->end);
        *ret_byte = -1;
        if (stream->ended)
            return 0;
        size_t moved;
        int status = decode_more(stream, &moved, reterr);
        if (status < 0)
            return status;
    }
}

static void truncate(struct json_stream *stream) {
    snprintf(stream->truncation, sizeof stream->truncation, "%s at byte %llu%s",
             stream->repairs < JSON_STREAM_MAX_REPAIRS ? "truncated" : "too many damaged stretches, given up",
             (unsigned long long)json_stream_byte_count(stream),
             stream->damaged ? " (damaged compressed data)" : "");
    stream->place = AT_END;
}

/* ---- Values ---- */

enum found { FOUND, FOUND_END, FOUND_LONG };

/* Finds the end of the value at `begin`. FOUND_LONG: it is longer than a value may be; up to *length of it are in
   the buffer. pass: consumes long values instead. */
static int find_value(struct json_stream *stream, bool pass, enum found *found, size_t *length,
                      struct error *reterr) {
    struct json_scan scan = {0};
    size_t at = stream->begin;
    bool is_long = false;
    for (;;) {
        const char *behind = json_scan(&scan, stream->buffer + at, stream->buffer + stream->end);
        *length = (behind ? (size_t)(behind - stream->buffer) : stream->end) - stream->begin;
        is_long = is_long || *length > JSON_STREAM_MAX_BYTES;
        if (behind || stream->ended || (is_long && !pass)) {
            *found = is_long ? FOUND_LONG : behind ? FOUND : FOUND_END;
            if (is_long && pass)
                consume_to(stream, stream->begin + *length);
            return 0;
        }
        if (is_long)
            consume_to(stream, stream->end);
        size_t moved;
        at = stream->end;
        int status = decode_more(stream, &moved, reterr);
        if (status < 0)
            return status;
        at -= moved;
    }
}

/* Whether an element begins at that bracket. */
static bool is_start(const struct json_stream *stream, const char *at) {
    const char *end = stream->buffer + stream->end;
    size_t length = strlen(stream->start);
    for (at++; at < end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t');)
        at++;
    return (size_t)(end - at) >= length && memcmp(at, stream->start, length) == 0;
}

/* Passes over a damaged element up to the next one in the buffer. */
static bool repair(struct json_stream *stream) {
    if (stream->start[0] == '\0' || stream->repairs == JSON_STREAM_MAX_REPAIRS)
        return false;
    const char *end = stream->buffer + stream->end;
    const char *at = stream->buffer + stream->begin + 1;
    while (at < end && (at = memchr(at, '{', (size_t)(end - at)))) {
        if (is_start(stream, at)) {
            stream->repairs++;
            consume_to(stream, (size_t)(at - stream->buffer));
            return true;
        }
        at++;
    }
    return false;
}

/* 1 with the value at `begin` as item->text. 0: there is none, or it is too long and was passed over. */
static int take_value(struct json_stream *stream, bool is_element, struct json_item *item, struct error *reterr) {
    enum found found;
    size_t length;
    int status = find_value(stream, !is_element, &found, &length, reterr);
    if (status < 0)
        return status;
    if (found == FOUND && length > 0) {
        item->text = (struct slice){stream->buffer + stream->begin, length};
        item->offset = stream->offset;
        consume_to(stream, stream->begin + length);
        return 1;
    }
    if (is_element && repair(stream))
        return 0;
    if (found == FOUND_LONG && is_element) { /* nothing begins inside: as long as it looks */
        stream->repairs++;
        status = find_value(stream, true, &found, &length, reterr);
        if (status < 0)
            return status;
    }
    if (found != FOUND_LONG || (stream->ended && stream->begin == stream->end))
        truncate(stream);
    return 0;
}

/* ---- Places ---- */

/* At a key. Enters the array or takes the value of another member. */
static int next_member(struct json_stream *stream, struct json_item *item, struct error *reterr) {
    int byte;
    int got = take_value(stream, false, item, reterr);
    if (got <= 0)
        return got;
    struct slice key = json_string(item->text);
    if (key.length >= sizeof stream->key)
        key.length = sizeof stream->key - 1;
    memcpy(stream->key, key.at, key.length);
    item->key = (struct slice){stream->key, key.length};
    int status = peek(stream, &byte, reterr);
    if (status == 0 && byte == ':') {
        consume_to(stream, stream->begin + 1);
        status = peek(stream, &byte, reterr);
    } else {
        byte = -1;
    }
    if (status < 0)
        return status;
    if (byte == -1) {
        truncate(stream);
        return 0;
    }
    if (byte == '{' && stream->parent && !stream->in_parent && slice_is(item->key, stream->parent)) {
        consume_to(stream, stream->begin + 1);
        stream->in_parent = true;
        return 0;
    }
    if (byte == '[' && slice_is(item->key, stream->array)) {
        consume_to(stream, stream->begin + 1);
        stream->place = IN_ARRAY;
        return 0;
    }
    return take_value(stream, false, item, reterr);
}

static int enter_top(struct json_stream *stream, int byte, struct error *reterr) {
    if (byte != '{' && byte != '[')
        return error_set(reterr, ERROR_INPUT, "%s: expected JSON, an object with \"%s\" or an array",
                         bytes_name(stream->bytes), stream->array);
    stream->in_member = byte == '{';
    stream->place = byte == '{' ? IN_OBJECT : IN_ARRAY;
    consume_to(stream, stream->begin + 1);
    return 0;
}

static void leave(struct json_stream *stream) {
    consume_to(stream, stream->begin + 1);
    if (stream->place == IN_ARRAY) {
        stream->place = stream->in_member ? IN_OBJECT : AT_END;
    } else {
        stream->place = stream->in_parent ? IN_OBJECT : AT_END;
        stream->in_parent = false;
    }
}

static void skip_bom(struct json_stream *stream) {
    if (stream->end - stream->begin >= 3 && memcmp(stream->buffer + stream->begin, "\xef\xbb\xbf", 3) == 0)
        consume_to(stream, stream->begin + 3);
}

int json_stream_next(struct json_stream *stream, struct json_item *item, struct error *reterr) {
    while (stream->place != AT_END) {
        int byte;
        int status = peek(stream, &byte, reterr);
        if (status < 0)
            return status;
        if (stream->place == AT_TOP && byte == 0xef) {
            skip_bom(stream);
            status = peek(stream, &byte, reterr);
        }
        *item = (struct json_item){0};
        if (status == 0 && stream->place == AT_TOP)
            status = enter_top(stream, byte, reterr);
        else if (byte == -1)
            truncate(stream);
        else if (byte == (stream->place == IN_ARRAY ? ']' : '}'))
            leave(stream);
        else if (stream->place == IN_ARRAY)
            status = take_value(stream, true, item, reterr);
        else
            status = next_member(stream, item, reterr);
        if (status != 0)
            return status;
    }
    return 0;
}
