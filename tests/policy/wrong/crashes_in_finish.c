/* finish writes to address 8. */
#include "wrong.h"

static int *volatile nowhere = (int *)8;

static void finish(const struct easim_pass *pass) {
    (void)pass;
    *(volatile int *)nowhere = 1;
}

POLICY(.decide = start_in_order, .finish = finish);
