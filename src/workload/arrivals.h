/* When the jobs of a generated stream arrive. */
#ifndef EASIM_WORKLOAD_ARRIVALS_H
#define EASIM_WORKLOAD_ARRIVALS_H

#include "workload/stream.h"

/* Of one replication: they are numbered with 32 bits, and memory ends sooner. */
#define ARRIVALS_MOST_JOBS 1e9

/* Jobs per second, from rate_per_s or load (decision 0012). Not of a periodic stream. */
double arrivals_rate_per_s(const struct stream *stream, const struct workload *workload);
/* Seconds since t = 0 of the next arrival after time_s; a periodic stream counts its jobs, number
   from 0, and draws nothing. */
double arrivals_next_s(const struct stream *stream, double rate_per_s, double time_s,
                       uint64_t number, gsl_rng *rng);
/* How many jobs of a stream are expected; trial has the table of the cluster. Loads that nothing
   offers, and too many jobs, are problems. */
double arrivals_expect_jobs(const struct stream *stream, const struct workload *trial,
                            const struct binding *binding);

#endif
