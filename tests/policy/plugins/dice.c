/* dice: starts each waiting job that fits in a configuration drawn from the host's random numbers.
 */
#include <easim/policy.h>

static int decide(const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    for (uint32_t i = view->first_waiting; i != EASIM_NONE;) {
        const struct easim_job *job = easim_view_job(view, i);
        i = job->next_waiting;
        uint32_t c =
            job->first_config + (uint32_t)(pass->host->uniform(pass->plan) * job->config_count);
        if (easim_fit(view, easim_view_config(view, c)) >= 0)
            pass->host->plan_start(pass->plan, job->index, c);
        else if (view->running_count == 0)
            pass->host->plan_start(pass->plan, job->index, job->best_config);
    }
    return 0;
}

EASIM_EXPORT const struct easim_policy easim_policy = {
    EASIM_POLICY_ABI, .name = "dice", .version = "1", .summary = "configurations by chance",
    .decide = decide};
