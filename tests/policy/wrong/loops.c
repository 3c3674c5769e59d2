/* decide does not end. */
#include "wrong.h"

static int decide(const struct easim_pass *pass) {
    (void)pass;
    for (volatile unsigned i = 0;; i++)
        ;
}

POLICY(.decide = decide);
