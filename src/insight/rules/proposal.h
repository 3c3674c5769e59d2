/* What several rules propose to try. Each sets the what-if of an insight, or says why there is
   none. A change is offered only where the run's policy, models and scenario know what it changes.
 */
#ifndef EASIM_INSIGHT_RULES_PROPOSAL_H
#define EASIM_INSIGHT_RULES_PROPOSAL_H

#include "easim/policy.h"
#include "insight/rules/insight.h"
#include "insight/rules/rule_run.h"

/* policy.params.NAME=VALUE if the policy has the parameter with another value. */
bool proposal_param(const struct rule_run *rule_run, struct insights *insights,
                    struct insight *insight, const char *name, const char *value);
/* A number of seconds likewise, times `factor` of what it is; off and 0 become usual_s. */
bool proposal_duration(const struct rule_run *rule_run, struct insights *insights,
                       struct insight *insight, const char *name, double factor, double usual_s);
/* Every other policy that declares one of these, EASIM_READS_* and EASIM_KEEPS_*; those that are
   there and run are tried with their usual parameters. */
static inline void proposal_policies(struct insight *insight, uint32_t reads, uint32_t keeps) {
    insight->what_if.reads = reads;
    insight->what_if.keeps = keeps;
}
/* A constant cap that binds nobody: what all GPUs and nodes can draw at most; an assumption. */
void proposal_free_cap(const struct rule_run *rule_run, struct insights *insights,
                       struct insight *insight);
/* Jobs that may take fewer GPUs: the scenario's list `workload.k` with 1 and the powers of two
   below its least. False: it has no such list, or several streams. */
bool proposal_smaller_k(const struct rule_run *rule_run, struct insights *insights,
                        struct insight *insight);
/* Power limits, where the policy may set them, does not, and the models have levels. */
bool proposal_power_limits(const struct rule_run *rule_run, struct insights *insights,
                           struct insight *insight);
/* One more entry of model_overrides, as a YAML mapping. */
void proposal_override(const struct rule_run *rule_run, struct insights *insights,
                       struct insight *insight, const char *entry);

/* The shortest text that reads back as the number. */
const char *proposal_number(struct insights *insights, double value);
/* Why there is nothing to try. A literal, or in the list's arena. */
static inline void proposal_none(struct insight *insight, const char *why) {
    insight->what_if.note = why;
}

#endif
