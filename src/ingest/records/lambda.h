/* Lambda's deep-learning benchmark of GPUs. */
#ifndef EASIM_INGEST_RECORDS_LAMBDA_H
#define EASIM_INGEST_RECORDS_LAMBDA_H

#include "ingest/profile.h"

/* "lambda": pytorch-train-throughput-PRECISION.csv, with the batches in
   pytorch-train-bs-PRECISION.csv beside it. */
extern const struct profile_reader lambda_reader;

#endif
