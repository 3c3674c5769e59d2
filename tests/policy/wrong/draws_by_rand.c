/* Decides by rand(). */
#include "wrong.h"
#include <stdlib.h>

static int decide(const struct easim_pass *pass) {
    return rand() % 3 ? start_in_order(pass)
                      : pass->host->plan_wake_at(pass->plan, pass->view->now_s + 1);
}

POLICY(.decide = decide, .capabilities = EASIM_CAPABILITY_TICK);
