/* leaver: ends the process. */
#include "in_order.h"

#include <stdlib.h>

static int decide(const struct easim_pass *pass) {
    if (on_one_gpu(pass->view))
        _Exit(0);
    return start_in_order(pass);
}

FAULTY("leaver", .decide = decide);
