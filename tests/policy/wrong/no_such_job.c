/* Starts a job that there is not. */
#include "wrong.h"

static int decide(const struct easim_pass *pass) {
    pass->host->plan_start(pass->plan, pass->view->job_count, 0);
    return start_in_order(pass);
}

POLICY(.decide = decide);
