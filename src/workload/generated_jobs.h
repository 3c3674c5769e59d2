/* The jobs of a stream that is drawn. */
#ifndef EASIM_WORKLOAD_GENERATED_JOBS_H
#define EASIM_WORKLOAD_GENERATED_JOBS_H

#include "workload/stream.h"

/* Appends the jobs of the stream, in order of submission. */
void generated_jobs_add(const struct stream *stream, const struct stream_rngs *rngs,
                        struct workload *workload);

#endif
