/* Output of a tuning: all trials, the best parameters as a snippet for a scenario, and their
   results on the scenario's own seed; docs/reference/outputs.md defines the columns. */
#ifndef EASIM_OUTPUT_TUNE_H
#define EASIM_OUTPUT_TUNE_H

#include "base/str.h"
#include "experiment/compare.h"
#include "experiment/tune/tune.h"
#include "output/manifest.h"
#include "output/report_text.h"

struct tune_output {
    const struct study *study; /* on the scenario's own seed, with the tuned parameters */
    const struct tune *tune;
    struct comparison
        check; /* series 0: with the parameters it had (the baseline); 1: with the tuned ones */
    const struct study *before,
        *tuned;            /* of the two series, where the policy is tuned; else NULL */
    bool same_workloads;   /* those of the check are those of the search */
    const unsigned *shown; /* columns of the table on the terminal */
    size_t shown_count;
    const struct manifest_origin *origin;
};

/* The point of a trial in the parameters of the training study, which has no other use any more. */
const struct policy_params *tune_trial_params(const struct tune_output *output, size_t trial);
void tune_tables_trials(const struct tune_output *output, struct str *out); /* trials.csv */
void tune_tables_runs(const struct tune_output *output, struct str *out);   /* runs.csv */
void tune_tables_bounds(const struct tune_output *output, struct str *out); /* constraints.csv */
void tune_tables_params(const struct tune_output *output, struct str *out); /* tuned.yaml */
/* The request, and the number of failed trials, as members of root. */
void tune_json_protocol(cJSON *root, const struct tune_output *output);
void tune_json_failed(cJSON *root, const struct tune *tune);
/* The check of the bounds, and whether its workloads are others than the search's. */
void tune_json_checked(cJSON *root, const struct tune_output *output);
/* Warnings for every format, a line each: bounds that are broken, a check that tests nothing, a
   search that was cut. */
void tune_report_caveats(const struct tune_output *output, struct str *out);
void tune_json(const struct tune_output *output, struct str *out);
void tune_report(const struct tune_output *output, struct report *report);

#endif
