/* A comparison of policies as CSV text, JSON and text; docs/reference/outputs.md defines the
   columns. */
#ifndef EASIM_OUTPUT_COMPARE_COMPARE_TABLES_H
#define EASIM_OUTPUT_COMPARE_COMPARE_TABLES_H

#include "base/str.h"
#include "experiment/compare.h"
#include "experiment/worlds/run.h"
#include "experiment/worlds/variance_shares.h"
#include "experiment/worlds/worlds.h"
#include "output/bound.h"
#include "output/report_text.h"
#include "study/study.h"

#include <cjson/cJSON.h>

/* Policies under one perturbation; both sides hold the same policies in the same order. */
struct compare_perturbed {
    const char *name;
    double amount;
    struct comparison clean, perturbed;
};

/* All results of a comparison, for every format. */
struct compare_output {
    const struct study *study; /* of any of the policies: name, seed, horizon */
    struct comparison comparison;
    unsigned pareto[PARETO_MOST];
    unsigned pareto_count;
    const unsigned *shown; /* columns of the table on the terminal */
    size_t shown_count;
    const struct compare_perturbed *perturbed;
    size_t perturbed_count;
    const struct variance_table *variance; /* what many worlds say; NULL: there is one */
    const struct worlds *worlds;           /* what was drawn in them */
    const struct bound_output *bounds;     /* of the same policies; NULL: not asked for */
};

void compare_tables_metrics(const struct compare_output *output, struct str *out);
void compare_tables_pareto(const struct compare_output *output, struct str *out);
void compare_tables_trends(const struct compare_output *output, struct str *out);
void compare_tables_perturbed(const struct compare_output *output, struct str *out);

/* The same as one JSON object. */
void compare_json(const struct compare_output *output, struct str *out);
/* The figures of compare.csv alone, as "metrics". */
void compare_json_metrics(cJSON *root, const struct comparison *comparison,
                          const struct metric_set *metrics);

/* --- variance tables: what many worlds say: budget.csv, differences.csv, and as text and JSON ---
 */

void variance_tables_shares(const struct variance_table *variance,
                            struct str *out); /* budget.csv */
void variance_tables_differences(const struct variance_table *variance,
                                 struct str *out); /* differences.csv */

/* The part of the table on the terminal, of these columns. */
void variance_report(const struct variance_table *variance, const unsigned *columns, size_t count,
                     struct report *report);

/* The figures of both files by name, as "worlds". */
void variance_json(cJSON *root, const struct variance_table *variance);

/* --- compare_report: the table a person reads: policies ranked by each metric --- */

void compare_report(const struct compare_output *output, struct report *report);
/* Whether interval, per cent and test of the difference from the baseline are of the ratio of
   geometric means (heavy-tailed metrics, all values above 0), or of the mean difference. */
bool compare_report_tells_ratios(const struct comparison *comparison,
                                 const struct compare_cell *cells, unsigned column);
/* Its cells: the difference (unless it is a ratio), the change in per cent, and p. */
void compare_report_change(const struct compare_cell *cell, bool ratio, double scale,
                           struct report *report);

/* --- worlds_csv: worlds.csv: every draw and every result of a comparison in many worlds --- */

/* A row for each run that there is. */
void worlds_csv(const struct worlds *worlds, const struct world_results *results, struct str *out);

#endif
