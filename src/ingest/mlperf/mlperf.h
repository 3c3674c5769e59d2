/* Results of MLPerf Training. */
#ifndef EASIM_INGEST_MLPERF_MLPERF_H
#define EASIM_INGEST_MLPERF_MLPERF_H

#include "ingest/profile.h"

/* "mlperf": result files, folders with them and their power readings, tables of results. */
extern const struct profile_reader mlperf_reader;

#endif
