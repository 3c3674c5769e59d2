/* Preempts a job that waits. */
#include "wrong.h"

static int decide(const struct easim_pass *pass) {
    const struct easim_job *job = first_waiting(pass);
    if (job)
        pass->host->plan_preempt(pass->plan, job->index, true);
    return start_in_order(pass);
}

POLICY(.decide = decide, .capabilities = EASIM_CAPABILITY_PREEMPT);
