/* Starts a job in the configuration behind its own. */
#include "wrong.h"

static int decide(const struct easim_pass *pass) {
    const struct easim_job *job = first_waiting(pass);
    if (job)
        pass->host->plan_start(pass->plan, job->index, job->first_config + job->config_count);
    return start_in_order(pass);
}

POLICY(.decide = decide);
