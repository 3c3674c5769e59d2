/* Starts in a configuration that there is not. */
#include "wrong.h"

static int decide(const struct easim_pass *pass) {
    const struct easim_job *job = first_waiting(pass);
    if (job)
        pass->host->plan_start(pass->plan, job->index, pass->view->config_count);
    return start_in_order(pass);
}

POLICY(.decide = decide);
