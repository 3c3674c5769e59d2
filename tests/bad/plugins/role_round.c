/* A list policy has the rounds of the host. */
#include <easim/policy.h>

#define PARAM \
    { \
        "tau", "s", "", EASIM_PARAM_DURATION, offsetof(struct params, tau), 1, 10, 3, false, NULL, \
            EASIM_ROLE_ROUND \
    }
#include "template.h"
