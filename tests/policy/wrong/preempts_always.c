/* Preempts a running job at every decision, and starts it again. */
#include "wrong.h"

static int decide(const struct easim_pass *pass) {
    const struct easim_job *job = some_running(pass);
    if (job)
        pass->host->plan_preempt(pass->plan, job->index, true);
    pass->host->plan_wake_at(pass->plan, pass->view->now_s + 10);
    return start_in_order(pass);
}

POLICY(.decide = decide, .capabilities = EASIM_CAPABILITY_PREEMPT | EASIM_CAPABILITY_TICK);
