/* A choice between nothing. */
#include <easim/policy.h>

#define PARAM \
    { \
        "tau", "s", "ageing", EASIM_PARAM_CHOICE, offsetof(struct params, tau), 0, 1, 0, false, \
            NULL, EASIM_ROLE_NONE \
    }
#include "template.h"
