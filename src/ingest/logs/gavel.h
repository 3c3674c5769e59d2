/* Traces of the Gavel simulator (github.com/stanford-futuredata/gavel). */
#ifndef EASIM_INGEST_LOGS_GAVEL_H
#define EASIM_INGEST_LOGS_GAVEL_H

#include "workload/trace.h"

/* "gavel": rows are numbered from 1; the model is always taken, since work is stated in its steps.
 */
extern const struct trace_reader gavel_reader;

#endif
