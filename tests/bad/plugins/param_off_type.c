/* An integer that may be off, though no integer says so. */
#include <easim/policy.h>

#define PARAM \
    { \
        "tau", "s", "ageing", EASIM_PARAM_INT, offsetof(struct params, tau), 1, 10, 3, true, NULL, \
            EASIM_ROLE_NONE \
    }
#include "template.h"
