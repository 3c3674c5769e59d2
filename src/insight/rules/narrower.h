/* What-ifs that let jobs choose from less: the lists k, b and h of the section workload. A change
   is offered only where the scenario has such lists and something is left of them. */
#ifndef EASIM_INSIGHT_RULES_NARROWER_H
#define EASIM_INSIGHT_RULES_NARROWER_H

#include "insight/rules/insight.h"
#include "insight/rules/rule_run.h"

/* Numbers of GPUs up to `most`. */
bool narrower_k(const struct rule_run *rule_run, struct insights *insights, struct insight *insight,
                uint32_t most);
/* Exactly these batches per GPU, ascending. */
bool narrower_b(const struct rule_run *rule_run, struct insights *insights, struct insight *insight,
                const double *batches, size_t count);
/* One GPU type alone. */
bool narrower_h(const struct rule_run *rule_run, struct insights *insights, struct insight *insight,
                uint32_t gpu_type);

#endif
