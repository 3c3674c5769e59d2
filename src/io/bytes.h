/* The decoded bytes of a file in one pass: plain, gzip or zstd by magic bytes, any size, bounded
 * memory. */
#ifndef EASIM_IO_BYTES_H
#define EASIM_IO_BYTES_H

#include "base/error.h"
#include "base/str.h"

#include <sys/types.h>

struct bytes; /* opaque */

/* Opens path ("-" = standard input). *ret_bytes is owned by the caller: bytes_close. */
int bytes_open(const char *path, struct bytes **ret_bytes, struct error *reterr) MUST_CHECK;
/* A text that is at hand, as it is; name stands for a file in messages. */
struct bytes *bytes_of_text(struct slice text, const char *name);
/* At most `room` decoded bytes, at least one; 0 at the end; negative: read error, damaged or
   truncated compression. `after` says in messages how far the reader is (" after line 7", or "").
 */
ssize_t bytes_read(struct bytes *bytes, char *to, size_t room, const char *after,
                   struct error *reterr) MUST_CHECK;
bool bytes_is_damaged(const struct bytes *bytes);  /* reading failed because the compressed data end
                                                      early or are bad */
const char *bytes_name(const struct bytes *bytes); /* for messages */
void bytes_close(struct bytes *bytes);             /* accepts NULL */

#endif
