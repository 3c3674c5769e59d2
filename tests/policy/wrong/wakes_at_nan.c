/* Asks for a wake-up at no time. */
#include "wrong.h"

static int decide(const struct easim_pass *pass) {
    pass->host->plan_wake_at(pass->plan, NAN);
    return start_in_order(pass);
}

POLICY(.decide = decide, .capabilities = EASIM_CAPABILITY_TICK);
