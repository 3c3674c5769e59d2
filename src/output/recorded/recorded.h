/* Analyses of a recorded run, as files and for the terminal: attribution, blame, waste, savings
   with less of a parameter (invest), insights. */
#ifndef EASIM_OUTPUT_RECORDED_RECORDED_H
#define EASIM_OUTPUT_RECORDED_RECORDED_H

#include "base/error.h"
#include "base/str.h"
#include "insight/attribution/attribution.h"
#include "insight/blame/critical_path.h"
#include "insight/blame/misses.h"
#include "insight/investment.h"
#include "insight/rules/rule_run.h"
#include "insight/rules/rule_table.h"
#include "insight/waste/waste.h"
#include "output/report_text.h"

/* The cells of policy and replication. */
void recorded_begin_row(const struct recorded_run *run, struct str *out);

/* With the network's column where the cluster has one. */
void attribution_csv_header(const struct cluster *cluster, const struct attribution_path *path,
                            struct str *out);
void attribution_csv_rows(const struct attribution *attribution, struct str *out);

/* --- blame_csv: blame.csv, critical_path.csv and node_blame.csv: where time went --- */

/* Blame of one run. */
struct blame_page {
    const struct recorded_run *run;
    const struct blame *blame;
    const struct critical_path *path;
    const struct node_blame *nodes;
};

void blame_csv_header(const struct recorded_folder *folder, struct str *out);
void blame_csv_rows(const struct blame_page *page, struct str *out);
extern const char critical_path_csv_header[];
void critical_path_csv_rows(const struct blame_page *page, struct str *out);
/* Nodes that cost nothing are left out. */
extern const char node_blame_csv_header[];
void node_blame_csv_rows(const struct blame_page *page, struct str *out);

/* --- attribution_report: for the terminal, of one run --- */

/* The rows of the path that bear most energy, in the order of the tree. */
void attribution_report(const struct attribution *attribution, struct report *report);
/* Parts of the jobs' time, the chain back from the last finish, missed deadlines, nodes. */
void blame_report(const struct blame_page *page, struct str *out);

/* --- waste_csv: waste.csv: energy and GPU time of each run by class --- */

/* With the line end. */
extern const char waste_csv_header[];
/* The same of a run of the folder that is read for it. */
int waste_csv_read(const struct recorded_folder *folder, const struct recorded_part *part,
                   struct str *out, struct error *reterr) MUST_CHECK;
/* A row for each class, in order of precedence; without measured time there are no shares. */
void waste_csv_rows(const struct recorded_run *run, const struct waste *waste, struct str *out);

/* --- waste_line: the line under the table of a run: its energy by class, in per cent --- */

/* With the line end; nothing if there is no energy. */
void waste_line_add(const double groups_j[static WASTE_GROUPS], struct str *out);
/* The mean over all runs of the recorded folder at path, which it reads. Adds nothing on
   failure. */
int waste_line_read(const char *path, struct str *out, struct error *reterr) MUST_CHECK;

/* --- invest_csv --- */
/* invest.csv, and the same for the terminal: what less of one parameter would save. */

void invest_csv(const struct recorded_run *run, const struct investments *investments,
                struct str *out);
void invest_report(const struct investments *investments, struct str *out);

/* --- insights_page --- */
/* Insights of one recorded run: insights.json, insights.md, and lines for the terminal. Names that
   a log gave stay text in each form, long ones cut short except in JSON. */

/* Borrowed. */
struct insights_page {
    const struct rule_run *run;
    const struct rule_settings *settings;
    const struct insights *insights;
    const char *const *commands; /* by insight: its run as a line for the shell; NULL: none */
    size_t replications;         /* of the policy in the folder */
};

void insights_json(const struct insights_page *page, struct str *out);
void insights_md(const struct insights_page *page, struct str *out);
void insights_report(const struct insights_page *page, struct str *out);

#endif
