/* Throughputs that ElasticFlow's simulator replays. */
#ifndef EASIM_INGEST_RECORDS_ELASTICFLOW_H
#define EASIM_INGEST_RECORDS_ELASTICFLOW_H

#include "ingest/profile.h"

/* "elasticflow": MODEL.csv, global_batch_size and iterations/s on 1, 2, 4, ... GPUs. */
extern const struct profile_reader elasticflow_reader;

#endif
