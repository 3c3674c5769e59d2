/* Calls _exit(0). */
#include "wrong.h"
#include <unistd.h>

static int decide(const struct easim_pass *pass) {
    (void)pass;
    _exit(0);
}

POLICY(.decide = decide);
