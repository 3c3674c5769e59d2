/* validation.csv, validation_jobs.csv, the same as JSON, and the table on the terminal. */
#ifndef EASIM_OUTPUT_VALIDATE_H
#define EASIM_OUTPUT_VALIDATE_H

#include "experiment/validate/outcome.h"
#include "output/json.h"
#include "output/report_text.h"

struct validate_output {
    const struct outcome *outcomes;
    size_t count;
};

void validate_tables_rows(const struct validate_output *output, struct str *out);
/* A row for each figure of each measured job; nothing where no jobs were measured. */
void validate_tables_jobs(const struct validate_output *output, struct str *out);
/* curves.csv: metered and predicted power of each reading, empty without a meter. First of one
   validation (NULL: no such column), after a header if out is empty; then of all. */
void validate_curves_csv(const struct meter_curves *curves, const char *validation,
                         struct str *out);
void validate_tables_curves(const struct validate_output *output, struct str *out);
void validate_tables_json(const struct validate_output *output, struct str *out);
/* One validation, and the line that counts all of them. */
void validate_tables_report(const struct outcome *outcome, struct report *report);
void validate_tables_totals(const struct validate_output *output, struct str *out);
struct outcome_counts validate_tables_count(const struct validate_output *output);
/* As members of a JSON object. */
void validate_tables_add_counts(const struct validate_output *output, cJSON *root);

#endif
