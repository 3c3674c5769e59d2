/* Workloads of the Pollux and Sia simulators (github.com/petuum/adaptdl,
 * github.com/siasosp23/artifacts). */
#ifndef EASIM_INGEST_LOGS_POLLUX_H
#define EASIM_INGEST_LOGS_POLLUX_H

#include "workload/trace.h"

/* "pollux" and "sia": one reader. The files name an application and no duration: its work comes
 * from the options.
 */
extern const struct trace_reader pollux_reader, sia_reader;

#endif
