/* Uses what easim_view_job answers without a look at it. */
#include "wrong.h"

static int decide(const struct easim_pass *pass) {
    return easim_view_job(pass->view, EASIM_NONE)->index == 0 && pass->host->plan_wake_at != NULL;
}

POLICY(.decide = decide);
