/* An output file that appears under its name (by a rename) only when it is complete. */
#ifndef EASIM_IO_ATOMIC_FILE_H
#define EASIM_IO_ATOMIC_FILE_H

#include "base/error.h"
#include "base/str.h"

#include <stdint.h>

struct atomic_file; /* opaque */

int atomic_file_open(const char *path, struct atomic_file **ret_file,
                     struct error *reterr) MUST_CHECK;
int atomic_file_write(struct atomic_file *file, const char *bytes, size_t length,
                      struct error *reterr) MUST_CHECK;
/* Appends all that was written to another one so far, or all behind its first line. */
int atomic_file_append(struct atomic_file *file, struct atomic_file *from, bool skip_line,
                       struct error *reterr) MUST_CHECK;
/* How many bytes were written, and back to so many of them. A device cannot take back. */
uint64_t atomic_file_size(const struct atomic_file *file);
int atomic_file_shorten(struct atomic_file *file, uint64_t size, struct error *reterr) MUST_CHECK;
/* Of files that belong together (some may be NULL) what is still in memory is written, before the
   first of them is committed: a full disk then shows before any has its name. */
int atomic_files_flush(struct atomic_file *const *files, size_t count,
                       struct error *reterr) MUST_CHECK;
/* Flushes, checks and renames. Frees file in any case. */
int atomic_file_commit(struct atomic_file *file, struct error *reterr) MUST_CHECK;
void atomic_file_abort(struct atomic_file *file); /* removes the temporary file; accepts NULL */
/* All of the above for a file whose text is at hand. A signal that ends the command comes before or
   after it: nothing half-made stays. */
int atomic_file_write_whole(const char *path, const char *bytes, size_t length,
                            struct error *reterr) MUST_CHECK;
/* The same for a file that is no part of a folder of results: removes first what killed processes
   have left of it. */
int atomic_file_write_alone(const char *path, const char *bytes, size_t length,
                            struct error *reterr) MUST_CHECK;
/* The same of a text that comes in pieces, which are asked for while the file is open. */
int atomic_file_write_pieces(const char *path, const struct text_source *source,
                             struct error *reterr) MUST_CHECK;

/* --- packed_file --- */
/* An output file in one pass, as it is or compressed, that appears when it is complete. */

enum packing { PACKING_NONE, PACKING_GZIP, PACKING_ZSTD };

/* By the suffix of the name: .gz, .zst or another one. */
enum packing packing_of(const char *path);

struct packed_file; /* opaque */

/* A file that is no part of a folder of results: what killed processes have left of it is removed.
   Of equal bytes the packed ones are equal: no name and no time are in them. */
int packed_file_open(const char *path, enum packing packing, struct packed_file **ret_file,
                     struct error *reterr) MUST_CHECK;
int packed_file_write(struct packed_file *file, const char *bytes, size_t length,
                      struct error *reterr) MUST_CHECK;
/* Frees file in any case. */
int packed_file_commit(struct packed_file *file, struct error *reterr) MUST_CHECK;
void packed_file_abort(struct packed_file *file); /* accepts NULL */

#endif
