/* A text that names what no host knows. */
#include <easim/policy.h>

#define PARAM \
    { \
        "tau", "", "ageing", EASIM_PARAM_TEXT, offsetof(struct params, tau), 0, 3, 0, false, NULL, \
            EASIM_ROLE_NONE \
    }
#include "template.h"
