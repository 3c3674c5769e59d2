/* undeclared: refuses jobs without having declared REJECT, then starts them in order. */
#include <easim/policy.h>

static int decide(const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    for (uint32_t i = view->first_waiting; i != EASIM_NONE;) {
        const struct easim_job *job = easim_view_job(view, i);
        i = job->next_waiting;
        pass->host->plan_reject(pass->plan, job->index, "no leave");
        if (easim_fit(view, easim_view_config(view, job->first_config)) >= 0)
            pass->host->plan_start(pass->plan, job->index, job->first_config);
    }
    return 0;
}

EASIM_EXPORT const struct easim_policy easim_policy = {
    EASIM_POLICY_ABI, .name = "undeclared", .version = "1", .summary = "refuses without leave",
    .decide = decide};
