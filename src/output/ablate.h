/* Output of an ablation, as CSV, as JSON and on the terminal; docs/reference/outputs.md defines the
   columns. */
#ifndef EASIM_OUTPUT_ABLATE_H
#define EASIM_OUTPUT_ABLATE_H

#include "base/str.h"
#include "experiment/ablate.h"
#include "output/manifest.h"
#include "output/report_text.h"

struct ablate_output {
    const struct study *studies; /* the scenario with the first and with the second policy */
    const struct ablation *ablation;
    const char *first, *second; /* the policies, as the user named them */
    const unsigned *shown;      /* columns of the table on the terminal */
    size_t shown_count;
    const struct manifest_origin *origin;
};

void ablate_tables_shares(const struct ablate_output *output, struct str *out); /* ablate.csv */
void ablate_tables_cells(const struct ablate_output *output, struct str *out);  /* cells.csv */
void ablate_tables_runs(const struct ablate_output *output, struct str *out);   /* runs.csv */
/* The request, as members of root. */
void ablate_json_protocol(cJSON *root, const struct ablate_output *output);
void ablate_json(const struct ablate_output *output, struct str *out);
void ablate_report(const struct ablate_output *output, struct report *report);

#endif
