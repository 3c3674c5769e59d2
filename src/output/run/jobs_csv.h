/* jobs.csv: what became of each job. */
#ifndef EASIM_OUTPUT_RUN_JOBS_CSV_H
#define EASIM_OUTPUT_RUN_JOBS_CSV_H

#include "study/replicate.h"

/* With the line end. There is a column for each label of the workload. */
void jobs_csv_header(const struct workload *workload, struct str *out);
/* One row per job that has been submitted. */
void jobs_csv_rows(const struct replication *replication, struct flow *flow);

#endif
