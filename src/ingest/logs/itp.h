/* Job logs of Microsoft's ITP clusters as published with ElasticFlow, raw or annotated. */
#ifndef EASIM_INGEST_LOGS_ITP_H
#define EASIM_INGEST_LOGS_ITP_H

#include "workload/trace.h"

/* "itp": columns job_id, submission_time, duration, num_gpu, in seconds. All other columns become
   labels; with options->models, model_name, batch_size (of the whole job) and deadline become
   model, batch per GPU and deadline_s instead. Rows are ordered by submit, equal ones as in the
   file; the first submit is 0. */
extern const struct trace_reader itp_reader;

#endif
