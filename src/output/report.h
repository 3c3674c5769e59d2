/* The table a person reads after a run. */
#ifndef EASIM_OUTPUT_REPORT_H
#define EASIM_OUTPUT_REPORT_H

#include "experiment/replicate.h"

/* Main metrics with mean and 95 % interval, then what needs a warning: refusals, extrapolation, dropped input. */
void report_summary(const struct study *study, const struct replicate_result *result, struct str *out);

#endif
