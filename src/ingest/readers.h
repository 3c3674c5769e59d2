/* The foreign job logs easim can read, and what their readers share. */
#ifndef EASIM_INGEST_READERS_H
#define EASIM_INGEST_READERS_H

#include "workload/trace.h"

extern const struct trace_reader *const ingest_readers[]; /* NULL-terminated */

#define INGEST_MAX_PROBLEMS 100       /* of one file: more help nobody */
#define INGEST_MAX_GPUS     (1 << 30) /* of one job */

/* A whole number, also written as "66.0" or "1e3" (up to 2^53). *value is untouched on failure. */
bool ingest_parse_whole(struct slice text, int64_t *value);

#endif
