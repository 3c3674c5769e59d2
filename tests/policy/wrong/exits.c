/* Calls exit(0). */
#include "wrong.h"
#include <stdlib.h>

static int decide(const struct easim_pass *pass) {
    (void)pass;
    exit(0);
}

POLICY(.decide = decide);
