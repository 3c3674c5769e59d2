/* Decides by the time of day. */
#include "wrong.h"
#include <time.h>

static int decide(const struct easim_pass *pass) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_nsec / 1000 % 2 ? start_in_order(pass)
                                  : pass->host->plan_wake_at(pass->plan, pass->view->now_s + 1);
}

POLICY(.decide = decide, .capabilities = EASIM_CAPABILITY_TICK);
