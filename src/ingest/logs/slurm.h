/* Slurm's accounting: what `sacct --parsable2` prints. */
#ifndef EASIM_INGEST_LOGS_SLURM_H
#define EASIM_INGEST_LOGS_SLURM_H

#include "workload/trace.h"

extern const struct trace_reader slurm_reader;

#endif
