/* services.csv: what each service answered, and what that took. */
#ifndef EASIM_OUTPUT_RUN_SERVICES_CSV_H
#define EASIM_OUTPUT_RUN_SERVICES_CSV_H

#include "study/replicate.h"

void services_csv_header(struct str *out);
void services_csv_rows(const struct replication *replication, struct flow *flow);

#endif
