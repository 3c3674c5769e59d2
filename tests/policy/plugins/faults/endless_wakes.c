/* endless_wakes: wants to be asked again a nanosecond later, always. */
#include "in_order.h"

static int decide(const struct easim_pass *pass) {
    if (on_one_gpu(pass->view))
        pass->host->plan_wake_at(pass->plan, pass->view->now_s + 2e-9);
    return start_in_order(pass);
}

FAULTY("endless_wakes", .capabilities = EASIM_CAPABILITY_TICK, .decide = decide);
