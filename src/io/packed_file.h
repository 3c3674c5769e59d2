/* An output file in one pass, as it is or gzipped, that appears when it is complete. */
#ifndef EASIM_IO_PACKED_FILE_H
#define EASIM_IO_PACKED_FILE_H

#include "base/error.h"

struct packed_file; /* opaque */

/* A file that is no part of a folder of results: what killed processes have left of it is removed.
   Of equal bytes the packed ones are equal: no name and no time are in them. */
int packed_file_open(const char *path, bool gzip, struct packed_file **ret_file,
                     struct error *reterr) MUST_CHECK;
int packed_file_write(struct packed_file *file, const char *bytes, size_t length,
                      struct error *reterr) MUST_CHECK;
/* Frees file in any case. */
int packed_file_commit(struct packed_file *file, struct error *reterr) MUST_CHECK;
void packed_file_abort(struct packed_file *file); /* accepts NULL */

#endif
