/* An integer with a default that is none. */
#include <easim/policy.h>

#define PARAM \
    { \
        "tau", "s", "ageing", EASIM_PARAM_INT, offsetof(struct params, tau), 1, 10, 2.5, false, \
            NULL, EASIM_ROLE_NONE \
    }
#include "template.h"
