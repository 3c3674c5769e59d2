/* One pass over a JSON file of any size: the elements of one long array, and the other members of
   the object that holds it, one text at a time: here a Kineto event or a Prometheus series is cut
   (take_value), by the landmarks of json_damage.h. Damaged records are left out and counted, one
   by one: reading resumes with the next one. Where the file ends early, everything before stays.
   Memory is bounded by the longest value handed out. */
#ifndef EASIM_IO_JSON_STREAM_H
#define EASIM_IO_JSON_STREAM_H

#include "base/error.h"
#include "base/str.h"

#define JSON_STREAM_MAX_BYTES (1u << 20) /* of one value; a longer member is passed over */

struct json_stream; /* opaque */

struct json_item {
    struct slice key;  /* of a member; empty for an element of the array */
    struct slice text; /* as in the file; valid until the next call */
    uint64_t offset;   /* of text in the decoded file */
};

/* What was left out. */
struct json_losses {
    uint64_t records;   /* damaged, or longer than JSON_STREAM_MAX_BYTES */
    uint64_t stretches; /* of damage outside of records */
    uint64_t strangers; /* sound elements of the array that are no objects: text, numbers, null */
};

/* The file's top level is an object with a member named `array`, or that array itself.
   "data.result" is the member result of the member data. Elements of the array are objects that
   begin with one of the keys (ends with NULL, borrowed) and have the first of them. */
int json_stream_open(const char *path, const char *array, const char *const *keys,
                     struct json_stream **ret_stream, struct error *reterr) MUST_CHECK;
/* 1: an item; 0: the end, which may be early; negative: the file cannot be read. */
int json_stream_next(struct json_stream *stream, struct json_item *item,
                     struct error *reterr) MUST_CHECK;
/* Goes on at that byte of the decoded file, where an element of the array begins. */
int json_stream_skip(struct json_stream *stream, uint64_t offset, struct error *reterr) MUST_CHECK;
/* Why the text ended early ("truncated at byte 17"), or NULL; known after the end. */
const char *json_stream_truncation(const struct json_stream *stream);
struct json_losses json_stream_losses(const struct json_stream *stream);
/* Sound members that were passed over because they are longer than JSON_STREAM_MAX_BYTES. */
uint64_t json_stream_long_members(const struct json_stream *stream);
uint64_t json_stream_byte_count(const struct json_stream *stream); /* decoded so far */
void json_stream_close(struct json_stream *stream);                /* accepts NULL */

#endif
