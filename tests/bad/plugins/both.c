/* Both list and decide. */
#include <easim/policy.h>

static int decide(const struct easim_pass *pass) {
    (void)pass;
    return 0;
}

#define DECIDE decide
#include "template.h"
