/* Power limits are there or not: a duration does not say so. */
#include <easim/policy.h>

#define CAPABILITIES EASIM_CAPABILITY_FREQUENCY
#define PARAM \
    { \
        "tau", "s", "ageing", EASIM_PARAM_DURATION, offsetof(struct params, tau), 1, 10, 3, false, \
            NULL, EASIM_ROLE_LIMITS \
    }
#include "template.h"
