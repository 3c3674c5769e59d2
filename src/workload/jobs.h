/* The jobs of a scenario: generated_jobs, recorded_jobs, and speed_noise of each. */
#ifndef EASIM_WORKLOAD_JOBS_H
#define EASIM_WORKLOAD_JOBS_H

#include "config/scenario.h"
#include "model/job_kind.h"
#include "workload/stream.h"

/* Appends the jobs of the stream, in order of submission. */
void generated_jobs_add(const struct stream *stream, const struct stream_rngs *rngs,
                        struct workload *workload);

/* --- recorded_jobs: the jobs of a stream that was recorded --- */

/* Appends the jobs of the stream, in order of submission. */
void recorded_jobs_add(const struct stream *stream, const struct stream_rngs *rngs,
                       struct workload *workload);
/* The fixed fields of a row as the request of a job of `model`; the stream's limits fill in the
   rest. batch 0: any. */
struct config_request recorded_jobs_request(const struct stream *stream,
                                            const struct cluster *cluster,
                                            const struct trace_row *row, uint32_t model,
                                            double batch);

/* --- jobs_to_come: jobs that are made as they arrive (workload.h) --- */

/* Gives an empty workload, which stays where it is, the jobs of the streams, named and in order of
   submission: there is room for all of them, and users and config table have all that they need. A
   log draws nothing but users. */
void jobs_await(const struct stream *streams, size_t count, uint64_t seed, uint32_t replication,
                struct workload *workload);

#endif
