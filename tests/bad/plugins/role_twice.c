/* Two parameters say what power counts. */
#include <easim/policy.h>

#define ROW(name, member) \
    { \
        name, "", "what counts", EASIM_PARAM_CHOICE, offsetof(struct params, member), 0, 1, 0, \
            false, bases, EASIM_ROLE_MARGINAL \
    }
#define PARAM ROW("one", tau), ROW("other", slack)
#include "template.h"
