/* power.csv: the state of the cluster after each instant at which something happened. */
#ifndef EASIM_OUTPUT_RUN_POWER_CSV_H
#define EASIM_OUTPUT_RUN_POWER_CSV_H

#include "study/replicate.h"

void power_csv_header(struct str *out);
void power_csv_rows(const struct replication *replication, struct str *out);

#endif
