/* The utilization of recorded jobs over time, from a CSV file beside their log: job_id, from_s
   (seconds of the job's own progress), utilization; a row where it changes. Other columns are
   ignored. Rows of a job ascend in from_s; those of different jobs may be mixed. */
#ifndef EASIM_WORKLOAD_UTILIZATION_FILE_H
#define EASIM_WORKLOAD_UTILIZATION_FILE_H

#include "base/tally.h"
#include "workload/trace.h"

/* What was read. Zero-initialise; release with utilization_file_finish. */
struct utilization_file {
    struct utilization_step *steps; /* by job */
    struct arena arena;             /* what rows of the log point to */
    uint64_t rows, changes;         /* rows read; changes of a value that the rows come to */
    uint32_t jobs, jobs_without; /* rigid jobs of the log with rows that take effect, and others */
    struct row_tally unknown;    /* rows of jobs that the log has not */
    uint32_t unknown_jobs;       /* how many such jobs, */
    const char *unknown_names;   /* and the first of them: "8, 9, 17 ..." */
    struct row_tally modelled;   /* of jobs with a model, whose power that says */
    struct row_tally beyond;     /* at or after the end of their job */
    struct row_tally same;       /* with the value that holds already */
};

/* Reads path and ties it to the rows of the log: trace_row.steps. usual: the utilization of rows
   without one, which holds before their first row of the file. Adds problems. */
void utilization_file_read(struct utilization_file *file, const char *path, double usual,
                           struct trace *trace, struct problems *problems);
void utilization_file_finish(struct utilization_file *file);

#endif
