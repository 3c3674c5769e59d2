/* A parameter of the host's name: every policy that declares FREQUENCY has it (see template.h). */
#include <easim/policy.h>

#define CAPABILITIES EASIM_CAPABILITY_FREQUENCY
#define PARAM \
    { \
        "power_limits", "", "mine", EASIM_PARAM_DURATION, offsetof(struct params, tau), 1, 10, 3, \
            false, NULL, EASIM_ROLE_NONE \
    }
#include "template.h"
