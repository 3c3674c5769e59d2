/* A parameter that stands in the table twice (see template.h). */
#include <easim/policy.h>

#define PARAM \
    { \
        "slack", "s", "ageing", EASIM_PARAM_DURATION, offsetof(struct params, tau), 1, 10, 3, \
            false, NULL, EASIM_ROLE_NONE \
    }
#include "template.h"
