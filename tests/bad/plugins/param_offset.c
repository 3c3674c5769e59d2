/* A parameter outside the parameter struct. */
#include <easim/policy.h>

#define PARAM \
    { \
        "tau", "s", "ageing", EASIM_PARAM_DURATION, sizeof(struct params) - 4, 1, 10, 3, false, \
            NULL, EASIM_ROLE_NONE \
    }
#include "template.h"
