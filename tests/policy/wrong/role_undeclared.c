/* A parameter that switches services on, of a policy without them. */
#include "wrong.h"

static const struct easim_param params[] = {
    {"x", "", "a switch", EASIM_PARAM_BOOL, 0, 0, 1, 0, false, NULL, EASIM_ROLE_SERVICES}};

POLICY(.decide = start_in_order, .params = params, .param_count = 1, .params_size = sizeof(double));
