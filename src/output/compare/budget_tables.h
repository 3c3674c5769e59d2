/* What many worlds say of a comparison: budget.csv, differences.csv, and the same as text and JSON;
   docs/outputs.md defines the columns. */
#ifndef EASIM_OUTPUT_COMPARE_BUDGET_TABLES_H
#define EASIM_OUTPUT_COMPARE_BUDGET_TABLES_H

#include "base/str.h"
#include "experiment/worlds/variance_shares.h"

#include <cjson/cJSON.h>

void budget_tables_shares(const struct doubt *doubt, struct str *out);      /* budget.csv */
void budget_tables_differences(const struct doubt *doubt, struct str *out); /* differences.csv */

/* The part of the table on the terminal, of these columns. */
void budget_report(const struct doubt *doubt, const unsigned *columns, size_t count,
                   struct str *out);

/* The figures of both files by name, as "worlds". */
void budget_json(cJSON *root, const struct doubt *doubt);

#endif
