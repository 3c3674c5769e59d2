/* What is found in one recorded run, for the page: classes of waste and insights. */
#ifndef EASIM_OUTPUT_HTML_INSIGHT_JSON_H
#define EASIM_OUTPUT_HTML_INSIGHT_JSON_H

#include "insight/recorded_run.h"
#include "insight/rules/insight.h"

/* The run that an insight proposes, as a line for the shell, or NULL; in the arena. */
typedef const char *insight_command(const struct recorded_folder *folder, const char *policy,
                                    const struct insight *insight, size_t number,
                                    struct arena *arena);

/* Adds the members "waste", of each class its name, group, energy and GPU time, and "insights",
   insights.json of all rules with their usual thresholds. ret_useful_frac: by job, the share of
   what its kept computing drew in the measured time that is useful; owned by the caller. */
int insight_json_add(struct str *out, const struct recorded_run *run, insight_command *command,
                     double **ret_useful_frac, struct error *reterr) MUST_CHECK;

#endif
