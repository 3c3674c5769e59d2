/* Decides by a static counter of all its runs. */
#include "wrong.h"

static unsigned count;

static int decide(const struct easim_pass *pass) {
    count++;
    return count % 3 ? start_in_order(pass)
                     : pass->host->plan_wake_at(pass->plan, pass->view->now_s + 1);
}

POLICY(.decide = decide, .capabilities = EASIM_CAPABILITY_TICK);
