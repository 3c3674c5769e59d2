/* Statistics over jobs and users at the end of a run. Measured are the jobs submitted after the
 * warm-up. */
#ifndef EASIM_METRICS_JOBSTATS_H
#define EASIM_METRICS_JOBSTATS_H

#include "metrics/metrics.h"

/* Reference GPU-seconds of work done by all jobs so far. */
double jobstats_work_done_s(const struct sim *sim);
int128 jobstats_lost_energy(const struct sim *sim);
int128 jobstats_lost_gpu_ps(const struct sim *sim);

/* max(1, jct / max(exec, 10 s)): bounded slowdown (Feitelson, Rudolph 1998). */
double jobstats_slowdown(double jct_s, double exec_s);
/* The most GPUs k with k <= max(1, gpus / n), n = jobs_ns / life_ns the mean number of jobs in the
   system during a job's life; compared in integers, so that n = 1 allows all. A life of 0 has n
   = 1. */
uint32_t jobstats_fair_gpus(uint32_t gpus, int64_t life_ns, int128 jobs_ns);
/* Percentile 0..1, linear between order statistics (type 7); NAN if empty. values must be sorted.
 */
double jobstats_percentile(const double *sorted, size_t count, double share);

/* Fills in the job columns of m->summary, m->users and the job counts of m->types. */
void jobstats_sum_up(struct metrics *m, const struct sim *sim);

#endif
