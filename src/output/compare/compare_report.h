/* The table a person reads after a comparison: policies ranked by each metric. */
#ifndef EASIM_OUTPUT_COMPARE_COMPARE_REPORT_H
#define EASIM_OUTPUT_COMPARE_COMPARE_REPORT_H

#include "output/compare/compare_tables.h"

void compare_report(const struct compare_output *output, struct str *out);

#endif
