/* A duration where no double may stand (see template.h). */
#include <easim/policy.h>

#define PARAM \
    { "tau", "s", "ageing", EASIM_PARAM_DURATION, 4, 1, 10, 3, false, NULL, EASIM_ROLE_NONE }
#include "template.h"
