/* init reads from address 8. */
#include "wrong.h"

static int *volatile nowhere = (int *)8;

static int init(const struct easim_pass *pass) {
    (void)pass;
    return *(volatile int *)nowhere;
}

POLICY(.decide = start_in_order, .init = init);
