/* Rejects a job without REJECT. */
#include "wrong.h"

static int decide(const struct easim_pass *pass) {
    const struct easim_job *job = first_waiting(pass);
    if (job)
        pass->host->plan_reject(pass->plan, job->index, "no");
    return start_in_order(pass);
}

POLICY(.decide = decide);
