/* An exchange with a part of an unknown kind. */
#include "wrong.h"

static int decide(const struct easim_pass *pass) {
    const struct easim_job *job = first_waiting(pass);
    const struct easim_part part = {9, job ? job->index : 0, job ? job->best_config : 0, false};
    if (job)
        easim_plan_exchange(pass, &part, 1, NULL);
    return start_in_order(pass);
}

POLICY(.decide = decide);
