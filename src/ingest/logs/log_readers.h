/* The foreign job logs easim can read. */
#ifndef EASIM_INGEST_LOGS_LOG_READERS_H
#define EASIM_INGEST_LOGS_LOG_READERS_H

#include "workload/trace.h"

extern const struct trace_reader *const ingest_readers[]; /* NULL-terminated */

#endif
