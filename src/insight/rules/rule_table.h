/* All rules, and their thresholds. */
#ifndef EASIM_INSIGHT_RULES_RULE_TABLE_H
#define EASIM_INSIGHT_RULES_RULE_TABLE_H

#include "insight/rules/insight.h"

extern const struct rule rule_table[]; /* ends with one that has no id */

/* A struct of thresholds for each rule. Zero-initialise; release with rule_settings_finish. */
struct rule_settings {
    const void **thresholds; /* by place in rule_table[] */
    struct arena arena;
};

/* Defaults, then each text "RULE.NAME=VALUE" in turn, the value as YAML. Adds a problem for each
   rule or threshold that there is not, with what is near, and each value that is out of range. */
int rule_settings_init(struct rule_settings *settings, const char *const *texts, size_t count,
                       struct problems *problems) MUST_CHECK;
void rule_settings_finish(struct rule_settings *settings);

/* Applies all rules to a replication, and sorts what they find. */
void rules_apply(const struct rule_run *run, const struct rule_settings *settings,
                 struct insights *insights);

#endif
