/* start_all: tries every configuration of every waiting job until one is accepted; most tries are
 * refused. */
#include <easim/policy.h>

static int decide(const struct easim_pass *pass) {
    for (uint32_t i = pass->view->first_waiting; i != EASIM_NONE;) {
        const struct easim_job *job = easim_view_job(pass->view, i);
        i = job->next_waiting;
        for (uint32_t c = 0; c < job->config_count; c++)
            if (pass->host->plan_start(pass->plan, job->index, job->first_config + c) == EASIM_OK)
                break;
    }
    return 0;
}

EASIM_EXPORT const struct easim_policy easim_policy = {
    EASIM_POLICY_ABI, .name = "start_all", .version = "1", .summary = "tries everything",
    .decide = decide};
