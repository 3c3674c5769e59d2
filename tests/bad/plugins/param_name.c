/* A parameter with a name that YAML would not need to quote, but the rules do not allow. */
#include <easim/policy.h>

#define PARAM \
    { \
        "Tau", "s", "ageing", EASIM_PARAM_DURATION, offsetof(struct params, tau), 1, 10, 3, false, \
            NULL, EASIM_ROLE_NONE \
    }
#include "template.h"
