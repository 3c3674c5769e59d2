/* Two parameters of one role. */
#include "wrong.h"

static const struct easim_param params[] = {
    {"x", "s", "a time", EASIM_PARAM_DURATION, 0, 0, 1, 0.5, false, NULL, EASIM_ROLE_ROUND},
    {"y", "s", "a time", EASIM_PARAM_DURATION, 8, 0, 1, 0.5, false, NULL, EASIM_ROLE_ROUND}};

POLICY(.decide = start_in_order, .params = params, .param_count = 2,
       .params_size = 2 * sizeof(double));
