/* Never starts a job. */
#include "wrong.h"

static int decide(const struct easim_pass *pass) {
    (void)pass;
    return 0;
}

POLICY(.decide = decide);
