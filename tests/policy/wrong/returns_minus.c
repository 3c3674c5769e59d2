/* decide fails and does not say why. */
#include "wrong.h"

static int decide(const struct easim_pass *pass) {
    (void)pass;
    return -1;
}

POLICY(.decide = decide);
