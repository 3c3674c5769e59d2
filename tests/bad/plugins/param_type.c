/* A type that does not exist. */
#include <easim/policy.h>

#define PARAM \
    { \
        "tau", "s", "ageing", (enum easim_param_type)99, offsetof(struct params, tau), 1, 10, 3, \
            false, NULL, EASIM_ROLE_NONE \
    }
#include "template.h"
