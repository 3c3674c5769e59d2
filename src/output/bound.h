/* bounds.csv, the same as JSON, and what of it the terminal shows: bounds, and how far policies are
   above them. */
#ifndef EASIM_OUTPUT_BOUND_H
#define EASIM_OUTPUT_BOUND_H

#include "bounds/bound.h"
#include "experiment/compare.h"
#include "output/json.h"
#include "output/report_text.h"
#include "study/study.h"

#define BOUNDS_NAME "bounds.csv"

struct bound_output {
    const struct study *study;
    const struct bounds *bounds; /* by replication */
    uint32_t replications;
    const struct compare_series *series; /* policies; count 0: bounds alone */
    size_t count;
};

void bound_tables_csv(const struct bound_output *output, struct str *out);
/* "bounds", for the JSON of a command that has more to say. */
void bound_tables_add_json(const struct bound_output *output, cJSON *root);
void bound_tables_json(const struct bound_output *output, struct str *out);
/* The bounds themselves; nothing is measured against them. */
void bound_tables_report(const struct bound_output *output, struct report *report);
/* A line for each metric, after the indent: the policies by their gaps. */
void bound_tables_gaps(const struct bound_output *output, const char *indent, struct str *out);

#endif
