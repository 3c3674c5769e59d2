/* recorded.csv: the runs that a recorded folder holds, and what is known of each as a whole
   (docs/record.md). */
#ifndef EASIM_OUTPUT_RUN_RECORDED_CSV_H
#define EASIM_OUTPUT_RUN_RECORDED_CSV_H

#include "study/replicate.h"

void recorded_csv_header(struct str *out);
/* How long the rows of a replication are in the files that are read by parts. */
struct recorded_bytes {
    size_t segments, gpus, workload;
};

/* Of a recorded replication. */
void recorded_csv_row(const struct replication *replication, const struct recorded_bytes *bytes,
                      struct str *out);

#endif
