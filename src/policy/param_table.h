/* TABLE parameters of policies: a CSV file that the configuration names, read and checked by the
   columns that the policy declares. Of what a cell may hold the schema says what it says of keys.
 */
#ifndef EASIM_POLICY_PARAM_TABLE_H
#define EASIM_POLICY_PARAM_TABLE_H

#include "config/schema.h"
#include "easim/policy.h"

/* The number of columns of a policy's parameter of that name. */
uint32_t param_table_columns(const struct easim_policy *policy, const char *param);

/* Reads `path` as the policy's parameter `param`, whose name must be that of columns; `unused`, not
   NULL, gets the names of columns of which the policy makes no use. All memory is in the binding's
   arena. NULL after adding problems. */
const struct easim_table *param_table_read(const struct easim_policy *policy, const char *param,
                                           const char *path, const struct binding *binding,
                                           struct str *unused);

#endif
