/* no_capability: preempts and asks for wake-ups without having declared either. */
#include <easim/policy.h>

static int decide(const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    pass->host->plan_wake_at(pass->plan, view->now_s + 1);
    pass->host->plan_wake_clear(pass->plan);
    if (view->running_count > 0)
        pass->host->plan_preempt(pass->plan, easim_view_running(view, 0)->job, false);
    for (uint32_t i = view->first_waiting; i != EASIM_NONE;) {
        const struct easim_job *job = easim_view_job(view, i);
        i = job->next_waiting;
        if (easim_fit(view, easim_view_config(view, job->first_config)) >= 0)
            pass->host->plan_start(pass->plan, job->index, job->first_config);
    }
    return 0;
}

EASIM_EXPORT const struct easim_policy easim_policy = {
    EASIM_POLICY_ABI, .name = "no_capability", .version = "1", .summary = "acts without leave",
    .decide = decide};
