/* Work, and what was lost, summed over all jobs that have been submitted, measured or not. */
#ifndef EASIM_METRICS_JOB_TOTALS_H
#define EASIM_METRICS_JOB_TOTALS_H

#include "engine/sim.h"

/* Work is in reference GPU-seconds. */
struct job_totals {
    double work_done_s; /* so far, of unfinished jobs too; lost work not counted */
    double work_left_s; /* that of rejected jobs too */
    int128
        lost_energy; /* of computing whose work was lost, 1e-18 J; likewise GPU time, 1e-12 GPU s */
    int128 lost_gpu_ps;
};

struct job_totals job_totals_of(const struct sim *sim);

#endif
