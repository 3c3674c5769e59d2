/* Asks for a wake-up in the past. */
#include "wrong.h"

static int decide(const struct easim_pass *pass) {
    pass->host->plan_wake_at(pass->plan, pass->view->now_s - 1);
    return start_in_order(pass);
}

POLICY(.decide = decide, .capabilities = EASIM_CAPABILITY_TICK);
