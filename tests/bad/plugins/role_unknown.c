/* A role that does not exist. */
#include <easim/policy.h>

#define PARAM \
    { \
        "tau", "s", "ageing", EASIM_PARAM_DURATION, offsetof(struct params, tau), 1, 10, 3, false, \
            NULL, 99 \
    }
#include "template.h"
