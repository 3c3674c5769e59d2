/* Result files and the power folders beside them. */
#ifndef EASIM_INGEST_MLPERF_MLPERF_FOLDER_H
#define EASIM_INGEST_MLPERF_MLPERF_FOLDER_H

#include "ingest/mlperf/mlperf_runs.h"

/* Adds the runs of the log at path, or of all logs in the folder at path and those inside of it:
   those of one folder that differ in nothing but what they reached are one result, with medians. */
void mlperf_folder_read(const char *path, const struct profile_options *options,
                        struct profile *profile, struct mlperf_runs *runs,
                        struct problems *problems);

#endif
