/* An integer division by zero. */
#include "wrong.h"

static volatile int zero;

static int decide(const struct easim_pass *pass) {
    (void)pass;
    return 1000 / zero; /* gcc divides 1 by comparing */
}

POLICY(.decide = decide);
