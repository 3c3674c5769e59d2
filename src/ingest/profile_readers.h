/* The measurements of real jobs that easim can read. */
#ifndef EASIM_INGEST_PROFILE_READERS_H
#define EASIM_INGEST_PROFILE_READERS_H

#include "ingest/profile.h"

extern const struct profile_reader *const profile_readers[]; /* NULL-terminated */

/* Reads all files of one command. 0, or negative with every problem listed. */
int profile_read(const struct profile_reader *reader, char *const *paths, size_t count,
                 const struct profile_options *options, struct profile *profile,
                 struct problems *problems) MUST_CHECK;

#endif
