/* finish does not end. */
#include "wrong.h"

static void finish(const struct easim_pass *pass) {
    (void)pass;
    for (volatile unsigned i = 0;; i++)
        ;
}

POLICY(.decide = start_in_order, .finish = finish);
