/* aggregate.csv: one row per metric over all replications; groups: enum metric_group. */
#ifndef EASIM_OUTPUT_RUN_AGGREGATE_CSV_H
#define EASIM_OUTPUT_RUN_AGGREGATE_CSV_H

#include "base/str.h"
#include "metrics/summary.h"

#include <stdint.h>

void aggregate_csv_header(struct str *out);
void aggregate_csv_rows(const char *policy, unsigned groups, const struct summary *summaries,
                        uint32_t count, struct str *out);

#endif
