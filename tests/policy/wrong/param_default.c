/* A default outside of its range. */
#include "wrong.h"

static const struct easim_param params[] = {
    {"x", "", "a number", EASIM_PARAM_REAL, 0, 0, 1, 2, false, NULL, EASIM_ROLE_NONE}};

POLICY(.decide = start_in_order, .params = params, .param_count = 1, .params_size = sizeof(double));
