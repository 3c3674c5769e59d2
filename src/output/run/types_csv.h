/* types.csv: use and energy of each GPU type. */
#ifndef EASIM_OUTPUT_RUN_TYPES_CSV_H
#define EASIM_OUTPUT_RUN_TYPES_CSV_H

#include "study/replicate.h"

void types_csv_header(struct str *out);
void types_csv_rows(const struct replication *replication, struct flow *flow);

#endif
