/* decide reads from address 8. */
#include "wrong.h"

static int *volatile nowhere = (int *)8;

static int decide(const struct easim_pass *pass) {
    (void)pass;
    return *(volatile int *)nowhere;
}

POLICY(.decide = decide);
