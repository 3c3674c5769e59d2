/* A default past the end of the choices. */
#include <easim/policy.h>

static const char *const two[] = {"a", "b", NULL};

#define PARAM \
    { \
        "tau", "s", "ageing", EASIM_PARAM_CHOICE, offsetof(struct params, tau), 0, 9, 2, false, \
            two, EASIM_ROLE_NONE \
    }
#include "template.h"
