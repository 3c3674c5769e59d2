/* What the manifest of a recorded policy says of it: what it may do, and its parameters
   as they were. Insights propose only parameters that the policy has. */
#ifndef EASIM_INSIGHT_RULES_POLICY_FACTS_H
#define EASIM_INSIGHT_RULES_POLICY_FACTS_H

#include "base/arena.h"
#include "base/array.h"
#include "insight/recorded_run.h"

struct policy_param {
    const char *name, *value; /* as text: true, 600, off */
};

/* Zero-initialise; release with policy_facts_finish. Nothing is known of a policy whose manifest
   does not say it. */
struct policy_facts {
    ARRAY_OF(const char *) capabilities;
    ARRAY_OF(struct policy_param) params;
    struct arena arena;
};

void policy_facts_load(struct policy_facts *facts, const struct recorded_folder *folder,
                       const struct recorded_part *part);
void policy_facts_finish(struct policy_facts *facts);

bool policy_facts_can(const struct policy_facts *facts, const char *capability);
/* The value of a parameter; NULL: the policy has none of that name. */
const char *policy_facts_param(const struct policy_facts *facts, const char *name);
/* Whether it has the parameter and its value is not the one given. */
bool policy_facts_may_set(const struct policy_facts *facts, const char *name, const char *value);

#endif
