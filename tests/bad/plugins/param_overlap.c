/* Two parameters at one place (see template.h). */
#include <easim/policy.h>

#define PARAM \
    { \
        "tau", "s", "ageing", EASIM_PARAM_DURATION, offsetof(struct params, slack), 1, 10, 3, \
            false, NULL, EASIM_ROLE_NONE \
    }
#include "template.h"
