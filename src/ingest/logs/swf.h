/* Standard Workload Format: the logs of the Parallel Workloads Archive, one processor taken as one
 * GPU. */
#ifndef EASIM_INGEST_LOGS_SWF_H
#define EASIM_INGEST_LOGS_SWF_H

#include "workload/trace.h"

/* "swf". Every job has duration_s and gpus and the labels status, group, queue, partition (-1 =
   absent); rows are ordered by submit, then job number; the first submit is 0. Jobs that cannot be
   replayed are left out and counted.
 */
extern const struct trace_reader swf_reader;

#endif
