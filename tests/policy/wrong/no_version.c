/* Does not begin with EASIM_POLICY_ABI. */
#include "wrong.h"

EASIM_EXPORT const struct easim_policy easim_policy = {
    .name = "wrong", .version = "1", .summary = "has one fault", .decide = start_in_order};
