/* Statistics over jobs and users at the end of a run, of the jobs submitted after the warm-up. */
#ifndef EASIM_METRICS_JOB_STATS_H
#define EASIM_METRICS_JOB_STATS_H

#include "engine/sim.h"
#include "metrics/job_record.h"
#include "metrics/summary.h"

#include <stddef.h>

/* max(1, jct / max(exec, 10 s)): bounded slowdown (Feitelson, Rudolph 1998). */
double job_stats_slowdown(double jct_s, double exec_s);
/* The GPUs that are a job's fair share: gpus / n, rounded down, but at least 1, where n = jobs_ns /
   life_ns is the mean number of jobs in the system during its life, itself included; n = 1 if that
   is 0. All in integers, so that a job that was alone has all GPUs. */
uint32_t job_stats_fair_gpus(uint32_t gpus, int64_t life_ns, int128 jobs_ns);
/* Percentile 0..1, linear between order statistics (type 7); NAN if empty. values: sorted. */
double job_stats_percentile(const double *sorted, size_t count, double share);

/* Work, and what was lost, over all submitted jobs, measured or not. In reference GPU-seconds. */
struct job_totals {
    double submitted_s; /* reference GPU-seconds of their whole work */
    double work_done_s; /* so far, of unfinished jobs too; lost work not counted */
    double work_left_s; /* that of rejected jobs too */
    int128
        lost_energy; /* of computing whose work was lost, 1e-18 J; likewise GPU time, 1e-12 GPU s */
    int128 lost_gpu_ps;
};

/* Sums over jobs in the order of their indices, whenever they are made. */
struct job_sums;

/* To fill in the job columns of a zeroed summary, the zeroed rows of all users, and the job counts
   of the rows of all GPU types; all outlive it. Release with free(). */
struct job_sums *job_sums_new(const struct sim *sim, struct summary *summary,
                              struct user_row *users, struct type_row *types);
/* Adds the jobs below `end` that it does not have yet: they are over, or the run is. */
void job_sums_add(struct job_sums *sums, uint32_t end);
void job_sums_close(struct job_sums *sums); /* the run is over, and the summary knows sim_s */
struct job_totals job_sums_totals(const struct job_sums *sums); /* of all jobs, up to now */

/* --- fairness: fairness measures; pure functions --- */

/* Jain's index (sum x)^2 / (n * sum x^2), in 1/n..1 (Jain, Chiu, Hawe 1984); NAN if n is 0 or all x
 * are 0. */
double fairness_jain(const double *values, size_t count);
/* Finish-time fairness rho = jct / T_ideal (Themis, NSDI'20). */
double fairness_finish_time(double jct_s, double ideal_s);

#endif
