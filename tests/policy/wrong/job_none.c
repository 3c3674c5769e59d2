/* Starts the job EASIM_NONE. */
#include "wrong.h"

static int decide(const struct easim_pass *pass) {
    pass->host->plan_start(pass->plan, EASIM_NONE, 0);
    return start_in_order(pass);
}

POLICY(.decide = decide);
