/* meter.csv: mean power of intervals of one length. */
#ifndef EASIM_OUTPUT_RUN_METER_CSV_H
#define EASIM_OUTPUT_RUN_METER_CSV_H

#include "study/replicate.h"

void meter_csv_header(struct str *out);
void meter_csv_rows(const struct replication *replication, struct flow *flow);

#endif
