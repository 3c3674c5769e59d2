/* A parameter whose unit has a C1 control character, U+009B, which begins escape sequences. */
#include <easim/policy.h>

#define PARAM \
    { \
        "tau", "s\302\233", "ageing", EASIM_PARAM_DURATION, offsetof(struct params, tau), 1, 10, \
            3, false, NULL, EASIM_ROLE_NONE \
    }
#include "template.h"
