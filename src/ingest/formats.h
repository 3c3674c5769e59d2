/* The formats of others that easim can read: job logs, and measurements of real jobs. */
#ifndef EASIM_INGEST_FORMATS_H
#define EASIM_INGEST_FORMATS_H

#include "ingest/profile.h"
#include "workload/trace.h"

extern const struct trace_reader *const ingest_readers[];    /* of job logs; NULL-terminated */
extern const struct profile_reader *const profile_readers[]; /* ends with NULL */

/* Reads all files of one command. 0, or negative with every problem listed. */
int profile_read(const struct profile_reader *reader, char *const *paths, size_t count,
                 const struct profile_options *options, struct profile *profile,
                 struct problems *problems) MUST_CHECK;

#endif
