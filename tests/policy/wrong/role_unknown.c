/* A parameter of a role that does not exist. */
#include "wrong.h"

static const struct easim_param params[] = {
    {"x", "", "a number", EASIM_PARAM_REAL, 0, 0, 1, 0.5, false, NULL, 99}};

POLICY(.decide = start_in_order, .params = params, .param_count = 1, .params_size = sizeof(double));
