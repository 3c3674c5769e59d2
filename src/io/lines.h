/* A text file by lines: plain, gzip or zstd by magic bytes, any size, one pass, bounded memory. */
#ifndef EASIM_IO_LINES_H
#define EASIM_IO_LINES_H

#include "base/error.h"
#include "base/str.h"

#define LINES_MAX_BYTES (16u << 20) /* a longer line is an error: no trace has one */

#define LINES_BEHIND 8

struct lines; /* opaque */

/* Opens path ("-" = standard input). *ret_lines is owned by the caller: lines_close. */
int lines_open(const char *path, struct lines **ret_lines, struct error *reterr) MUST_CHECK;
/* The lines of a text that is at hand; name stands for a file in messages. */
struct lines *lines_of_text(struct slice text, const char *name);
/* 1: *line holds the next line without its end (LF or CRLF; a leading UTF-8 BOM is skipped), valid
   until the next call, a line end stands behind it in any case, and LINES_BEHIND bytes behind that
   one can be read; 0: end of file; negative: read error, damaged or truncated compression, NUL
   byte, line too long. */
int lines_next(struct lines *lines, struct slice *line, struct error *reterr) MUST_CHECK;
uint32_t lines_number(const struct lines *lines);    /* of the line last returned, from 1 */
bool lines_ended_partial(const struct lines *lines); /* the last line had no line end */
bool lines_is_damaged(
    const struct lines *lines); /* an error came because compressed data end early or are bad */
void lines_close(struct lines *lines); /* accepts NULL */

#endif
