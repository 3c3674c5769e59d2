/* An exchange that names a job twice. */
#include "wrong.h"

static int decide(const struct easim_pass *pass) {
    const struct easim_job *job = first_waiting(pass);
    const struct easim_part parts[2] = {
        {EASIM_PART_START, job ? job->index : 0, job ? job->best_config : 0, false},
        {EASIM_PART_START, job ? job->index : 0, job ? job->best_config : 0, false}};
    if (job)
        easim_plan_exchange(pass, parts, 2, NULL);
    return start_in_order(pass);
}

POLICY(.decide = decide);
