/* Statistics over jobs and users at the end of a run. Measured are the jobs submitted after the warm-up. */
#ifndef EASIM_METRICS_JOBSTATS_H
#define EASIM_METRICS_JOBSTATS_H

#include "metrics/metrics.h"

/* Reference GPU-seconds of work done by all jobs so far. */
double jobstats_work_done_s(const struct sim *sim);
int128 jobstats_lost_energy(const struct sim *sim);
int128 jobstats_lost_gpu_ps(const struct sim *sim);

/* max(1, jct / max(exec, 10 s)): bounded slowdown (Feitelson, Rudolph 1998). */
double jobstats_slowdown(double jct_s, double exec_s);
/* Percentile 0..1, linear between order statistics (type 7); NAN if empty. values must be sorted. */
double jobstats_percentile(const double *sorted, size_t count, double share);

/* Fills in the job columns of m->summary, m->users and the job counts of m->types. */
void jobstats_sum_up(struct metrics *m, const struct sim *sim);

#endif
