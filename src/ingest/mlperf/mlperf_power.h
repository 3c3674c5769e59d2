/* The power meters of an MLPerf run: a folder with a file for each node. */
#ifndef EASIM_INGEST_MLPERF_MLPERF_POWER_H
#define EASIM_INGEST_MLPERF_MLPERF_POWER_H

#include "ingest/profile.h"

/* What is asked of the meters and what they tell. */
struct mlperf_power {
    double start_ms, stop_ms; /* of the run */
    uint32_t nodes;           /* of the run; 0: not known */
    double mean_w;  /* of a node, over the time from the first reading in the run to the last, mean
                       over  the files; NAN: nothing metered */
    double floor_w; /* lowest reading of any node after the run; NAN: none */
};

/* Reads folder/node_*.txt. Files of switches, repeated ones and those without a reading during the
   run are noted. Bad readings, and more files than nodes, are problems. */
void mlperf_power_read(const char *folder, const struct profile_options *options,
                       struct mlperf_power *power, struct profile *profile,
                       struct problems *problems);

#endif
