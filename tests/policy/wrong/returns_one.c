/* decide returns 1. */
#include "wrong.h"

static int decide(const struct easim_pass *pass) {
    start_in_order(pass);
    return 1;
}

POLICY(.decide = decide);
