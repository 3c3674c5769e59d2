/* Parameters of a policy: YAML values into the policy's own struct, by the policy's table. */
#ifndef EASIM_POLICY_PARAMS_H
#define EASIM_POLICY_PARAMS_H

#include "config/schema.h"
#include "easim/policy.h"

/* Fills params (params_size bytes) with the defaults of the table. */
void params_set_defaults(const struct easim_policy *policy, void *params);
/* Replaces the values that node (a mapping or NULL) names. path names the section in messages ("policy.params").
   Negative after adding problems. */
int params_bind(const struct easim_policy *policy, const struct yaml_node *node, const char *path,
                const struct binding *binding, void *params) MUST_CHECK;

/* One value as text, as a user would write it. */
void params_write_value(const struct easim_param *param, const void *params, struct str *out);
/* "number 0..1 or off", "one of gross | marginal": what a parameter accepts. */
void params_write_range(const struct easim_param *param, struct str *out);

#endif
