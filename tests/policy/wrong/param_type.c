/* A parameter of an unknown type. */
#include "wrong.h"

static const struct easim_param params[] = {
    {"x", "", "a number", (enum easim_param_type)99, 0, 0, 1, 0.5, false, NULL}};

POLICY(.decide = start_in_order, .params = params, .param_count = 1, .params_size = sizeof(double));
