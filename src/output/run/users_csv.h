/* users.csv: the measured jobs of each user. */
#ifndef EASIM_OUTPUT_RUN_USERS_CSV_H
#define EASIM_OUTPUT_RUN_USERS_CSV_H

#include "study/replicate.h"

void users_csv_header(struct str *out);
void users_csv_rows(const struct replication *replication, struct flow *flow);

#endif
