/* init returns 7. */
#include "wrong.h"

static int init(const struct easim_pass *pass) {
    (void)pass;
    return 7;
}

POLICY(.decide = start_in_order, .init = init);
