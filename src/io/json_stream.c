/* Values out of a JSON file. Invariant: buffer[begin..end) are decoded bytes not yet handed out,
   the first of them at byte `offset` of the decoded file. */
#include "io/json_stream.h"

#include "base/mem.h"
#include "io/bytes.h"
#include "io/json_damage.h"
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
    const char *const *keys; /* of records */
    char *buffer;
    size_t begin, end, capacity;
    uint64_t offset;
    bool ended;
    enum place place;
    bool in_member; /* the array is a member of an object */
    struct json_losses losses;
    uint64_t long_members;
    int64_t
        budget; /* of bytes to look at again, in search of records; used up: hostile, given up */
    char key[1024];
    char truncation[128];
    bool damaged; /* the compressed data ended early */
};

int json_stream_open(const char *path, const char *array, const char *const *keys,
                     struct json_stream **ret_stream, struct error *reterr) {
    struct bytes *bytes;
    int status = bytes_open(path, &bytes, reterr);
    if (status < 0)
        return status;
    struct json_stream *stream = mem_zalloc(1, sizeof *stream);
    stream->bytes = bytes;
    stream->keys = keys;
    stream->budget = 64 << 20;
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

struct json_losses json_stream_losses(const struct json_stream *stream) {
    return stream->losses;
}

uint64_t json_stream_long_members(const struct json_stream *stream) {
    return stream->long_members;
}

uint64_t json_stream_byte_count(const struct json_stream *stream) {
    return stream->offset + (stream->end - stream->begin);
}

/* ---- Bytes ---- */

static void consume_to(struct json_stream *stream, size_t position) {
    stream->offset += position - stream->begin;
    stream->budget += 16 * (int64_t)(position - stream->begin);
    stream->begin = position;
}

/* More bytes behind those that are there, which move to the front. Compressed data that end early
   are an end like any other. */
static int fill_stream(struct json_stream *stream, struct error *reterr) {
    memmove(stream->buffer, stream->buffer + stream->begin, stream->end - stream->begin);
    stream->end -= stream->begin;
    stream->begin = 0;
    if (stream->end == stream->capacity) {
        stream->capacity *= 2;
        stream->buffer = mem_realloc(stream->buffer, stream->capacity, 1);
    }
    ssize_t count = bytes_read(stream->bytes, stream->buffer + stream->end,
                               stream->capacity - stream->end, "", reterr);
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

/* The next byte, not consumed, that is no blank and no comma (unchecked), or -1 at the end. */
static int peek_stream_byte(struct json_stream *stream, int *ret_byte, struct error *reterr) {
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
        int status = fill_stream(stream, reterr);
        if (status < 0)
            return status;
    }
}

static void truncate(struct json_stream *stream) {
    snprintf(stream->truncation, sizeof stream->truncation, "%s at byte %llu%s",
             stream->budget < 0 ? "too many damaged stretches, given up" : "truncated",
             (unsigned long long)json_stream_byte_count(stream),
             stream->damaged ? " (damaged compressed data)" : "");
    stream->place = AT_END;
}

/* ---- Values ---- */

/* Scans the value at `begin` up to its end, to what breaks it, or, at GOES_ON, to
   JSON_STREAM_MAX_BYTES or the end of the file. *length of it are in the buffer. */
static int scan_value(struct json_stream *stream, struct json_lint *lint,
                      enum json_verdict *verdict, size_t *length, struct error *reterr) {
    for (*length = 0;;) {
        const char *at = stream->buffer + stream->begin + *length;
        *verdict = json_lint(lint, &at, stream->buffer + stream->end);
        *length = (size_t)(at - stream->buffer) - stream->begin;
        if (*verdict != JSON_GOES_ON || stream->ended || *length > JSON_STREAM_MAX_BYTES)
            return 0;
        int status = fill_stream(stream, reterr);
        if (status < 0)
            return status;
    }
}

/* Consumes a long value, of which `length` bytes were scanned, as it goes on. */
static int pass_value(struct json_stream *stream, struct json_lint *lint, size_t length,
                      enum json_verdict *verdict, struct error *reterr) {
    while (*verdict == JSON_GOES_ON && !stream->ended) {
        consume_to(stream, stream->end);
        int status = fill_stream(stream, reterr);
        if (status == 0)
            status = scan_value(stream, lint, verdict, &length, reterr);
        if (status < 0)
            return status;
    }
    consume_to(stream, stream->begin + length);
    return 0;
}

/* Goes on with the next record, or behind the last one with the end of the list; behind neither,
   the text ends early. *found: there is one of them. */
static int resume_after_damage(struct json_stream *stream, bool *found, struct error *reterr) {
    size_t passed =
        stream->place == IN_ARRAY && stream->begin < stream->end; /* there the damaged one begins */
    for (;;) {
        const char *begin = stream->buffer + stream->begin, *end = stream->buffer + stream->end;
        const char *at =
            json_landmarks_find(stream->keys, begin, begin + passed, end, &stream->budget);
        size_t ahead = stream->end - stream->begin;
        bool far = ahead > JSON_STREAM_MAX_BYTES;
        if (at)
            stream->place = IN_ARRAY;
        else if (stream->place == IN_ARRAY && (far || stream->ended) && stream->budget >= 0)
            at = json_landmarks_end(begin + passed, end);
        *found = at != NULL;
        if (at)
            consume_to(stream, (size_t)(at - stream->buffer));
        if (at || stream->ended || stream->budget < 0)
            return 0;
        passed = ahead > JSON_RECORD_START_BYTES ? ahead - JSON_RECORD_START_BYTES : passed;
        if (far) {
            consume_to(stream, stream->begin + passed);
            passed = 0;
        }
        int status = fill_stream(stream, reterr);
        if (status < 0)
            return status;
    }
}

/* So many bytes behind the value at `begin` that what follows it can be told. */
static int look_ahead(struct json_stream *stream, size_t length, struct error *reterr) {
    while (stream->end - stream->begin - length < JSON_RECORD_START_BYTES && !stream->ended) {
        int status = fill_stream(stream, reterr);
        if (status < 0)
            return status;
    }
    return 0;
}

/* Whether behind a value another one may come, or the end of the list. */
static bool is_followed(const struct json_stream *stream, size_t length) {
    const char *at = stream->buffer + stream->begin + length, *end = stream->buffer + stream->end;
    while (at < end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t'))
        at++;
    return at < end && (*at == ',' || *at == ']');
}

/* What begins here is no sound value, or too long. */
static int pass_damage(struct json_stream *stream, enum json_verdict verdict, size_t length,
                       struct error *reterr) {
    bool is_event = stream->place == IN_ARRAY && stream->begin < stream->end &&
                    stream->buffer[stream->begin] == '{';
    bool found = false;
    const uint64_t offset = stream->offset;
    stream->budget -= (int64_t)length;
    int status = stream->budget < 0 ? 0 : resume_after_damage(stream, &found, reterr);
    if (status < 0)
        return status;
    if (!found && verdict == JSON_WHOLE && !is_event && stream->offset == offset &&
        stream->budget >= 0 &&
        is_followed(stream, length)) { /* no record, and none follows, but nothing is cut off */
        stream->budget -= (int64_t)(stream->end - stream->begin);
        stream->losses.stretches++;
        consume_to(stream, stream->begin + length);
        return 0;
    }
    if (found || verdict == JSON_BROKEN) {
        stream->losses.records += is_event;
        stream->losses.stretches += !is_event;
    }
    if (!found)
        truncate(stream);
    return 0;
}

/* Whether an element that looks sound is one: it has not swallowed others (a bracket of it that was
   never closed was by the end of the list), and another one or the end of the list follows. */
static int is_sound(struct json_stream *stream, const struct json_lint *lint, size_t length,
                    bool *ret_sound, struct error *reterr) {
    int status = look_ahead(stream, length, reterr);
    if (status < 0)
        return status;
    const char *begin = stream->buffer + stream->begin, *end = stream->buffer + stream->end;
    *ret_sound = *begin == '{' && json_landmarks_follow(stream->keys, begin + length, end) &&
                 !(lint->has_items && json_landmarks_find(stream->keys, begin, begin + 1,
                                                          begin + length, &stream->budget));
    return 0;
}

/* An element that is no object is passed over by itself, and counted. */
static int pass_stranger(struct json_stream *stream, size_t length, bool *ret_passed,
                         struct error *reterr) {
    int status = look_ahead(stream, length, reterr);
    if (status < 0)
        return status;
    const char *begin = stream->buffer + stream->begin;
    *ret_passed = json_landmarks_stranger_end(begin, stream->buffer + stream->end) != NULL;
    if (*ret_passed) {
        stream->losses.strangers++;
        consume_to(stream, stream->begin + length);
    }
    return 0;
}

/* 1 with the value at `begin` as item->text; 0: there is none, and it was passed over. */
static int take_value(struct json_stream *stream, struct json_item *item, struct error *reterr) {
    bool is_element = stream->place == IN_ARRAY;
    struct json_lint lint = {.record_key = is_element ? stream->keys[0] : NULL};
    enum json_verdict verdict;
    size_t length;
    int status = scan_value(stream, &lint, &verdict, &length, reterr);
    if (status < 0)
        return status;
    bool is_long = length > JSON_STREAM_MAX_BYTES;
    if (!is_element && is_long && verdict != JSON_BROKEN) {
        status = pass_value(stream, &lint, length, &verdict, reterr);
        stream->long_members += verdict == JSON_WHOLE;
        return status < 0 || verdict == JSON_WHOLE ? status
                                                   : pass_damage(stream, verdict, 0, reterr);
    }
    bool sound = verdict == JSON_WHOLE && !is_long, passed = false;
    if (sound && is_element)
        status = pass_stranger(stream, length, &passed, reterr);
    if (status < 0 || passed)
        return status;
    if (sound && is_element)
        status = is_sound(stream, &lint, length, &sound, reterr);
    if (status < 0 || !sound)
        return status < 0 ? status : pass_damage(stream, verdict, length, reterr);
    item->text = (struct slice){stream->buffer + stream->begin, length};
    item->offset = stream->offset;
    consume_to(stream, stream->begin + length);
    return 1;
}

/* ---- Places ---- */

/* Behind the colon of a member; *ret_byte begins its value. 0 if there is no colon: passed over. */
static int enter_member(struct json_stream *stream, int *ret_byte, struct error *reterr) {
    int status = peek_stream_byte(stream, ret_byte, reterr);
    if (status == 0 && *ret_byte == ':') {
        consume_to(stream, stream->begin + 1);
        status = peek_stream_byte(stream, ret_byte, reterr);
        return status < 0 ? status : 1;
    }
    return status < 0
               ? status
               : pass_damage(stream, *ret_byte == -1 ? JSON_GOES_ON : JSON_BROKEN, 0, reterr);
}

/* At a key. Enters the array or takes the value of another member. */
static int next_member(struct json_stream *stream, struct json_item *item, struct error *reterr) {
    int byte;
    if (stream->buffer[stream->begin] != '"')
        return pass_damage(stream, JSON_BROKEN, 0, reterr);
    int got = take_value(stream, item, reterr);
    if (got <= 0)
        return got;
    struct slice key = json_string(item->text);
    if (key.length >= sizeof stream->key)
        key.length = sizeof stream->key - 1;
    memcpy(stream->key, key.at, key.length);
    item->key = (struct slice){stream->key, key.length};
    got = enter_member(stream, &byte, reterr);
    if (got <= 0)
        return got;
    if (byte == '{' && stream->parent && !stream->in_parent &&
        slice_is(item->key, stream->parent)) {
        consume_to(stream, stream->begin + 1);
        stream->in_parent = true;
        return 0;
    }
    if (byte == '[' && slice_is(item->key, stream->array)) {
        consume_to(stream, stream->begin + 1);
        stream->place = IN_ARRAY;
        return 0;
    }
    return take_value(stream, item, reterr);
}

static int enter_top(struct json_stream *stream, int byte, struct error *reterr) {
    if (byte != '{' && byte != '[')
        return error_set(reterr, ERROR_INPUT,
                         "%s: expected JSON, an object with \"%s\" or an array",
                         bytes_name(stream->bytes), stream->array);
    stream->in_member = byte == '{';
    stream->place = byte == '{' ? IN_OBJECT : IN_ARRAY;
    consume_to(stream, stream->begin + 1);
    return 0;
}

static void leave_container(struct json_stream *stream) {
    consume_to(stream, stream->begin + 1);
    if (stream->place == IN_ARRAY) {
        stream->place = stream->in_member ? IN_OBJECT : AT_END;
    } else {
        stream->place = stream->in_parent ? IN_OBJECT : AT_END;
        stream->in_parent = false;
    }
}

static void skip_bom(struct json_stream *stream) {
    if (stream->end - stream->begin >= 3 &&
        memcmp(stream->buffer + stream->begin, "\xef\xbb\xbf", 3) == 0)
        consume_to(stream, stream->begin + 3);
}

int json_stream_next(struct json_stream *stream, struct json_item *item, struct error *reterr) {
    while (stream->place != AT_END) {
        int byte;
        int status = peek_stream_byte(stream, &byte, reterr);
        if (status < 0)
            return status;
        if (stream->place == AT_TOP && byte == 0xef) {
            skip_bom(stream);
            status = peek_stream_byte(stream, &byte, reterr);
        }
        *item = (struct json_item){0};
        if (status == 0 && stream->place == AT_TOP)
            status = enter_top(stream, byte, reterr);
        else if (byte == -1)
            truncate(stream);
        else if (byte == (stream->place == IN_ARRAY ? ']' : '}'))
            leave_container(stream);
        else if (stream->place == IN_ARRAY)
            status = take_value(stream, item, reterr);
        else
            status = next_member(stream, item, reterr);
        if (status != 0)
            return status;
    }
    return 0;
}

int json_stream_skip(struct json_stream *stream, uint64_t offset, struct error *reterr) {
    while (offset - stream->offset > stream->end - stream->begin && !stream->ended) {
        consume_to(stream, stream->end);
        int status = fill_stream(stream, reterr);
        if (status < 0)
            return status;
    }
    if (offset - stream->offset <= stream->end - stream->begin)
        consume_to(stream, stream->begin + (size_t)(offset - stream->offset));
    return 0;
}
