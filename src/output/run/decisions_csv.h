/* decisions.csv: what the policy tried, and each job that was rejected. */
#ifndef EASIM_OUTPUT_RUN_DECISIONS_CSV_H
#define EASIM_OUTPUT_RUN_DECISIONS_CSV_H

#include "study/replicate.h"

void decisions_csv_header(struct str *out);
void decisions_csv_rows(const struct replication *replication, struct flow *flow);

#endif
