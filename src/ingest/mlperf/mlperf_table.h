/* Tables of MLPerf results, one row a system and benchmark. */
#ifndef EASIM_INGEST_MLPERF_MLPERF_TABLE_H
#define EASIM_INGEST_MLPERF_MLPERF_TABLE_H

#include "ingest/mlperf/mlperf_runs.h"

/* Adds the rows of the CSV at path, whose texts go to the profile's arena. Negative with every
   problem, by line and column. */
int mlperf_table_read(const char *path, struct profile *profile, struct mlperf_runs *runs,
                      struct problems *problems) MUST_CHECK;

#endif
