/* A choice in two lines. */
#include <easim/policy.h>

static const char *const lines[] = {"one", "t\nwo", NULL};
#define PARAM \
    { \
        "tau", "", "ageing", EASIM_PARAM_CHOICE, offsetof(struct params, basis), 0, 1, 0, false, \
            lines, EASIM_ROLE_NONE \
    }
#include "template.h"
