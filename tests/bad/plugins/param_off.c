/* A default of off, which is not allowed. */
#include <easim/policy.h>

#define PARAM \
    { \
        "tau", "s", "ageing", EASIM_PARAM_DURATION, offsetof(struct params, tau), 1, 10, \
            EASIM_OFF, false, NULL, EASIM_ROLE_NONE \
    }
#include "template.h"
