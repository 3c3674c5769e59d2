/* summary.csv: the metrics of each replication, a row each. The same columns stand behind what
   tells runs apart in the tables of sweep, tune and ablate. */
#ifndef EASIM_OUTPUT_RUN_SUMMARY_CSV_H
#define EASIM_OUTPUT_RUN_SUMMARY_CSV_H

#include "base/str.h"
#include "metrics/summary.h"

#include <stdint.h>

/* With the columns of these metric groups (enum metric_group), which only `easim run` writes. */
void summary_csv_header(unsigned groups, struct str *out);
void summary_csv_row(const char *policy, uint32_t replication, int64_t seed, unsigned groups,
                     const struct summary *summary, struct str *out);

/* Without the policy: they begin with a comma. */
void summary_csv_run_header(struct str *out);
void summary_csv_run(uint32_t replication, int64_t seed, const struct summary *summary,
                     struct str *out);

#endif
