/* Statistics over jobs and users at the end of a run. Measured are the jobs submitted after the
 * warm-up. */
#ifndef EASIM_METRICS_JOB_STATS_H
#define EASIM_METRICS_JOB_STATS_H

#include "engine/sim.h"
#include "metrics/rows.h"
#include "metrics/summary.h"

/* max(1, jct / max(exec, 10 s)): bounded slowdown (Feitelson, Rudolph 1998). */
double job_stats_slowdown(double jct_s, double exec_s);
/* The GPUs that are a job's fair share: gpus / n, rounded down, but at least 1, where n = jobs_ns /
   life_ns is the mean number of jobs in the system during its life, itself included; n = 1 if that
   is 0. All in integers, so that a job that was alone has all GPUs. */
uint32_t job_stats_fair_gpus(uint32_t gpus, int64_t life_ns, int128 jobs_ns);
/* Percentile 0..1, linear between order statistics (type 7); NAN if empty. values must be sorted.
 */
double job_stats_percentile(const double *sorted, size_t count, double share);

/* Fills in the job columns of a summary that knows sim_s, the zeroed rows of all users, and the job
   counts of the rows of all GPU types. */
void job_stats_sum_up(const struct sim *sim, struct summary *summary, struct user_row *users,
                      struct type_row *types);

#endif
