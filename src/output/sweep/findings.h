/* Results of a sweep for its claims and targets, as CSV, as JSON and as a table;
   docs/reference/outputs.md defines the columns. */
#ifndef EASIM_OUTPUT_SWEEP_FINDINGS_H
#define EASIM_OUTPUT_SWEEP_FINDINGS_H

#include "base/str.h"
#include "experiment/sweep/findings.h"
#include "output/report_text.h"

#include <cjson/cJSON.h>

/* A row per claim and slice of its readings; a row per target. */
void findings_tables_claims(const struct findings *findings, struct str *out);
void findings_tables_targets(const struct findings *findings, struct str *out);
/* A row per reading. */
void findings_tables_claim_readings(const struct findings *findings, struct str *out);
void findings_tables_target_readings(const struct findings *findings, struct str *out);

/* Both of the first, as far as there are claims and targets, with an empty line between them. */
void findings_csv(const struct findings *findings, struct str *out);
/* The members "claims" and "targets". */
void findings_json(const struct findings *findings, cJSON *root);
/* For a person; nothing if there are neither claims nor targets. */
void findings_report(const struct findings *findings, struct report *report);

#endif
