/* Scales a service without SERVICES. */
#include "wrong.h"

static int decide(const struct easim_pass *pass) {
    pass->host->plan_scale_up(pass->plan, 0);
    return start_in_order(pass);
}

POLICY(.decide = decide);
