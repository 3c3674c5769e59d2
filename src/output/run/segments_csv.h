/* segments.csv: what each job did, from its submission on, and behind them each replica
 * (docs/record.md). */
#ifndef EASIM_OUTPUT_RUN_SEGMENTS_CSV_H
#define EASIM_OUTPUT_RUN_SEGMENTS_CSV_H

#include "study/replicate.h"

void segments_csv_header(struct str *out);
/* Of a recorded replication. */
void segments_csv_rows(const struct replication *replication, struct flow *flow);

#endif
