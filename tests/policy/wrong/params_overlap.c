/* Two parameters at one place. */
#include "wrong.h"

static const struct easim_param params[] = {
    {"x", "", "a number", EASIM_PARAM_REAL, 0, 0, 1, 0.5, false, NULL, EASIM_ROLE_NONE},
    {"y", "", "a number", EASIM_PARAM_REAL, 0, 0, 1, 0.5, false, NULL, EASIM_ROLE_NONE}};

POLICY(.decide = start_in_order, .params = params, .param_count = 2, .params_size = sizeof(double));
