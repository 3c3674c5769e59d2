/* One pass over a JSON file of any size: the elements of one long array, and the other members of the object that
   holds it, one text at a time. Damaged stretches are left out and counted; where the file ends early, everything
   before stays. Memory is bounded by the longest value handed out. */
#ifndef EASIM_IO_JSON_STREAM_H
#define EASIM_IO_JSON_STREAM_H

#include "base/error.h"
#include "base/str.h"

#define JSON_STREAM_MAX_BYTES   (1u << 20) /* of one value; a longer member is passed over */
#define JSON_STREAM_MAX_REPAIRS 1000       /* then the file counts as truncated */

struct json_stream; /* opaque */

struct json_item {
    struct slice key;  /* of a member; empty for an element of the array */
    struct slice text; /* as in the file; valid until the next call */
    uint64_t offset;   /* of text in the decoded file */
};

/* The file's top level is an object with a member named `array`, or that array itself. "data.result" is the member
   result of the member data. */
int json_stream_open(const char *path, const char *array, struct json_stream **ret_stream,
                     struct error *reterr) MUST_CHECK;
/* Elements begin with `start` ("{" and blanks ignored before it): where reading resumes behind damage. */
void json_stream_resume_at(struct json_stream *stream, const char *start);
/* 1: an item; 0: the end, which may be early; negative: the file cannot be read. */
int json_stream_next(struct json_stream *stream, struct json_item *item, struct error *reterr) MUST_CHECK;
/* Why the text ended early ("truncated at byte 17"), or NULL; known after the end. */
const char *json_stream_truncation(const struct json_stream *stream);
uint64_t json_stream_repairs(const struct json_stream *stream);    /* damaged stretches passed over */
uint64_t json_stream_byte_count(const struct json_stream *stream); /* decoded so far */
void json_stream_close(struct json_stream *stream);                /* accepts NULL */

#endif
