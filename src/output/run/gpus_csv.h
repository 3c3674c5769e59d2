/* gpus.csv: when GPUs that no job held were free, asleep or failed (docs/record.md). */
#ifndef EASIM_OUTPUT_RUN_GPUS_CSV_H
#define EASIM_OUTPUT_RUN_GPUS_CSV_H

#include "study/replicate.h"

void gpus_csv_header(struct str *out);
/* Of a recorded replication. */
void gpus_csv_rows(const struct replication *replication, struct flow *flow);

#endif
