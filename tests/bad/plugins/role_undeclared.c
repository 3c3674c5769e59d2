/* It lets configurations have power limits, and does not declare FREQUENCY. */
#include <easim/policy.h>

#define ROW \
    { \
        "limits", "", "", EASIM_PARAM_BOOL, offsetof(struct params, tau), 0, 1, 0, false, NULL, \
            EASIM_ROLE_LIMITS \
    }
#define PARAM ROW
#include "template.h"
