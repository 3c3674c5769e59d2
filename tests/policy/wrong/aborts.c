/* Calls abort. */
#include "wrong.h"
#include <stdlib.h>

static int decide(const struct easim_pass *pass) {
    (void)pass;
    abort();
}

POLICY(.decide = decide);
