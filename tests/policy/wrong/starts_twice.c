/* Starts its first job twice. */
#include "wrong.h"

static int decide(const struct easim_pass *pass) {
    const struct easim_job *job = first_waiting(pass);
    uint32_t index = job ? job->index : 0, config = job ? job->best_config : 0;
    start_in_order(pass);
    if (job)
        pass->host->plan_start(pass->plan, index, config);
    return 0;
}

POLICY(.decide = decide);
