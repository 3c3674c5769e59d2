/* What is found in one recorded run, for the page: classes of waste and insights. */
#ifndef EASIM_OUTPUT_HTML_INSIGHT_JSON_H
#define EASIM_OUTPUT_HTML_INSIGHT_JSON_H

#include "insight/recorded_run.h"
#include "insight/rules/insight.h"
#include "insight/rules/rule_run.h"

/* What is done with insights that were found. */
struct insight_hooks {
    void *context;
    /* Simulates what they propose. */
    int (*verify)(void *context, const struct rule_run *rule_run, struct insights *insights,
                  struct error *reterr);
    /* The run that an insight proposes, as a line for the shell, or NULL; in the arena. */
    const char *(*command)(const struct recorded_run *run, const struct insight *insight,
                           size_t number, struct arena *arena);
};

/* Adds the members "waste", of each class its name, group, energy and GPU time, and "insights",
   insights.json of all rules with their usual thresholds. ret_useful_frac: by job, the share of
   what its kept computing drew in the measured time that is useful; owned by the caller. */
int insight_json_add(struct str *out, const struct recorded_run *run,
                     const struct insight_hooks *hooks, double **ret_useful_frac,
                     struct error *reterr) MUST_CHECK;

#endif
