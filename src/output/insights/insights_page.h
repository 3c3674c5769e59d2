/* What easim analyze says of one recorded run, in three forms: insights.json, insights.md, and
   lines for the terminal. Names are whatever a log calls its users and jobs: they stand as text in
   each form, long ones cut short but in JSON. */
#ifndef EASIM_OUTPUT_INSIGHTS_INSIGHTS_PAGE_H
#define EASIM_OUTPUT_INSIGHTS_INSIGHTS_PAGE_H

#include "base/str.h"
#include "insight/rules/rule_run.h"
#include "insight/rules/rule_table.h"

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

/* ---- Shared by the forms ---- */

/* A figure of the first line of each form; NAN: not defined in this run. */
struct headline {
    const char *name, *label, *unit;
    double value;
};
#define HEADLINE_COUNT 9
void insights_headlines(const struct rule_run *run, struct headline headlines[HEADLINE_COUNT]);

/* Four digits and the unit, "-" of a number that is not known, or the text of a figure. */
void insights_add_number(struct str *out, double value, const char *unit);
void insights_add_figure(struct str *out, const struct insight_figure *figure);
/* A name for people: control characters made visible, and after INSIGHTS_NAME_BYTES cut short. */
#define INSIGHTS_NAME_BYTES 60
void insights_add_name(struct str *out, const char *name);
/* ", 15.8 % of the energy"; nothing if that is none of it. */
void insights_add_share(struct str *out, const struct insight *insight);
/* "recommended in this run, the best of 3 that were tried: TEXT", without a full stop. */
void insights_add_advice(struct str *out, const struct insight *insight);
/* "energy 492.5 kWh to 346.8 kWh (-29.6 %), ..."; nothing of a change that was not simulated. */
void insights_add_effects(struct str *out, const struct insight *insight);
/* "job NAME", "the cluster" */
void insights_add_entity(struct str *out, const struct insight *insight);

#endif
