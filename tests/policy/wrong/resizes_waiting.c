/* Resizes a job that waits. */
#include "wrong.h"

static int decide(const struct easim_pass *pass) {
    const struct easim_job *job = first_waiting(pass);
    if (job)
        pass->host->plan_resize(pass->plan, job->index, job->best_config);
    return start_in_order(pass);
}

POLICY(.decide = decide, .capabilities = EASIM_CAPABILITY_RESIZE);
