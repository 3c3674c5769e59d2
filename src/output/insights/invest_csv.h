/* invest.csv, and the same for the terminal: what less of one parameter would save. */
#ifndef EASIM_OUTPUT_INSIGHTS_INVEST_CSV_H
#define EASIM_OUTPUT_INSIGHTS_INVEST_CSV_H

#include "insight/investment.h"

void invest_csv(const struct recorded_run *run, const struct investments *investments,
                struct str *out);
void invest_report(const struct investments *investments, struct str *out);

#endif
