/* Jobs of a log as what they may draw: GPUs of a type, of a group of jobs, and their use over time.
   A job runs from its submit_s for its duration_s. */
#ifndef EASIM_CALIBRATE_METERED_METERED_JOBS_H
#define EASIM_CALIBRATE_METERED_METERED_JOBS_H

#include "workload/trace.h"

struct metered_job {
    double start_s, end_s;
    double gpus; /* > 0, also a part of one */
    uint32_t type, group;
    uint32_t row;                          /* of the trace */
    double use;                            /* its mean, 0..1; NAN: not recorded */
    const struct utilization_steps *steps; /* where it changes, borrowed from the trace; or NULL */
};

#define METERED_MOST_TYPES  64
#define METERED_MOST_GROUPS 64 /* further ones are one, METERED_OTHERS */
#define METERED_NO_TYPE     "gpu"
#define METERED_OTHERS      "(others)"
#define METERED_NO_GROUP    "(none)"

/* Zero-initialise; release with metered_jobs_finish. Text is borrowed from the trace. */
struct metered_jobs {
    ARRAY_OF(struct metered_job) at;
    ARRAY_OF(const char *)
    types, groups;                 /* types by name; groups: those with most GPU time first */
    const char *by;                /* what the groups are of; NULL: there is one */
    uint64_t instant, without_use; /* jobs of no duration, left out; jobs without use */
    size_t merged_groups;          /* that are METERED_OTHERS */
    double first_s, last_s;        /* first start and last end */
};

/* by: "model", "user", "label.NAME", "none", or NULL: the model if some job has one. Negative after
   adding problems: jobs without GPUs or a duration, a column that is not there, no jobs. */
int metered_jobs_make(struct metered_jobs *jobs, const struct trace *trace, const char *file,
                      const char *by, struct problems *problems) MUST_CHECK;
/* Makes the rows of the trace rigid jobs, whatever model they are of: a file of utilization is of
   rigid jobs. Groups stay. */
void metered_jobs_drop_models(struct trace *trace);
/* Takes the steps of the rows, and where no mean is recorded that of the steps. */
void metered_jobs_take_steps(struct metered_jobs *jobs, const struct trace *trace);
/* The use from step i on; before the first that is recorded, of a job without a mean, that one. */
double metered_job_use(const struct metered_job *job, uint32_t i);
void metered_jobs_finish(struct metered_jobs *jobs);
/* The most GPUs of the type that run at once. */
double metered_jobs_peak(const struct metered_jobs *jobs, uint32_t type);

#endif
