/* series.csv: power cap, price and carbon intensity over the time of the runs (docs/record.md). */
#ifndef EASIM_OUTPUT_RUN_SERIES_CSV_H
#define EASIM_OUTPUT_RUN_SERIES_CSV_H

#include "study/study.h"

/* Header and rows: at 0, and at each change up to end_ns. */
void series_csv(const struct study *study, int64_t end_ns, struct str *out);

#endif
