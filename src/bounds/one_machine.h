/* Preemptive schedules of one machine of speed 1: what bounds completion times from below
   (semantics 27.3). Pure functions. */
#ifndef EASIM_BOUNDS_ONE_MACHINE_H
#define EASIM_BOUNDS_ONE_MACHINE_H

#include <stddef.h>

struct machine_job {
    double release_s;
    double size_s; /* >= 0 */
    double weight; /* of one_machine_busy, >= 0 */
};

/* The number of jobs in the system, integrated from from_s to end_s (INFINITY: until all are done),
   shortest remaining time first, which makes it least at every instant (Schrage 1968). Jobs are in
   order of release, all before end_s. */
double one_machine_srpt_s(const struct machine_job *jobs, size_t count, double from_s,
                          double end_s);

/* Mean busy time of each job, the mean of the instants in which it is worked on, where of the jobs
   there always that of the largest weight / size goes first: it makes the sum of weight x mean busy
   time least (Goemans, Queyranne, Schulz, Skutella and Wang 2002). Ties go by place; a job of size
   0 is done at its release. */
void one_machine_busy(const struct machine_job *jobs, size_t count, double *ret_busy_s);

#endif
