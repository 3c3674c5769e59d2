/* A default outside the range. */
#include <easim/policy.h>

#define PARAM \
    { \
        "tau", "s", "ageing", EASIM_PARAM_DURATION, offsetof(struct params, tau), 1, 10, 0.5, \
            false, NULL, EASIM_ROLE_NONE \
    }
#include "template.h"
