/* A parameter that nobody explains. */
#include <easim/policy.h>

#define PARAM \
    { \
        "tau", "s", NULL, EASIM_PARAM_DURATION, offsetof(struct params, tau), 1, 10, 3, false, \
            NULL, EASIM_ROLE_NONE \
    }
#include "template.h"
