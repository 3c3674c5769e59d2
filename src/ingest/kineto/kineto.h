/* PyTorch-profiler (Kineto) traces, one rank or many of one job. */
#ifndef EASIM_INGEST_KINETO_KINETO_H
#define EASIM_INGEST_KINETO_KINETO_H

#include "ingest/profile.h"

/* "kineto": Chrome trace JSON, plain, gz or zst; one file per rank, in any order. docs/profiles.md
   defines every figure. */
extern const struct profile_reader kineto_reader;

#endif
