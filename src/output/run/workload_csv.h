/* workload.csv: the jobs of each replication with the configurations that they allow
   (docs/record.md). */
#ifndef EASIM_OUTPUT_RUN_WORKLOAD_CSV_H
#define EASIM_OUTPUT_RUN_WORKLOAD_CSV_H

#include "study/replicate.h"

/* With a column for each label of the workload. */
void workload_csv_header(const struct workload *workload, struct str *out);
void workload_csv_rows(const struct replication *replication, struct flow *flow);

#endif
