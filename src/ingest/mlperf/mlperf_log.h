/* Result files of MLPerf runs: what one run logged. */
#ifndef EASIM_INGEST_MLPERF_MLPERF_LOG_H
#define EASIM_INGEST_MLPERF_MLPERF_LOG_H

#include "ingest/mlperf/mlperf_runs.h"

/* A run that was read, and between which times. */
struct mlperf_log {
    struct mlperf_run run; /* without power */
    double start_ms, stop_ms;
    bool is_left_out; /* the run did not end well, which was noted */
};

/* Reads the file at path. What the options say of GPUs goes before the file. Negative with every
   problem. */
int mlperf_log_read(const char *path, const struct profile_options *options, struct mlperf_log *log,
                    struct profile *profile, struct problems *problems) MUST_CHECK;

#endif
