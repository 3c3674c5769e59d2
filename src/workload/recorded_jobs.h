/* The jobs of a stream that was recorded. */
#ifndef EASIM_WORKLOAD_RECORDED_JOBS_H
#define EASIM_WORKLOAD_RECORDED_JOBS_H

#include "workload/stream.h"

/* Appends the jobs of the stream, in order of submission. */
void recorded_jobs_add(const struct stream *stream, const struct stream_rngs *rngs,
                       struct workload *workload);
/* The fixed fields of a row as the request of a job of `model`; the stream's limits fill in the
   rest. batch 0: any. */
struct config_request recorded_jobs_request(const struct stream *stream,
                                            const struct cluster *cluster,
                                            const struct trace_row *row, uint32_t model,
                                            double batch);

#endif
