/* static_counter: decides by a counter that all runs of the process share. */
#include "in_order.h"

static int decide(const struct easim_pass *pass) {
    static unsigned calls;
    if (calls++ % 3 == 2 && pass->view->running_count > 0)
        return 0;
    return start_in_order(pass);
}

FAULTY("static_counter", .decide = decide);
