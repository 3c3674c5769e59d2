/* crash: reads from address 8. */
#include "in_order.h"

static int decide(const struct easim_pass *pass) {
    if (on_one_gpu(pass->view))
        return read_nothing();
    return start_in_order(pass);
}

FAULTY("crash", .decide = decide);
