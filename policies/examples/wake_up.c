/* wake_up.c: a decision at an instant of the policy's choice (TICK). Jobs are started at full hours
   alone, first come, first served. */
#include <easim/policy.h>

static int decide(const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    double hours = view->now_s / 3600;
    bool is_full = hours == floor(hours);
    for (uint32_t i = view->first_waiting; is_full && i != EASIM_NONE;) {
        const struct easim_job *job = easim_view_job(view, i);
        i = job->next_waiting;
        if (easim_fit(view, easim_view_config(view, job->best_config)) < 0)
            break;
        pass->host->plan_start(pass->plan, job->index, job->best_config);
    }
    /* Asked for at every decision: an instant that has been asked for already adds nothing. */
    if (view->first_waiting != EASIM_NONE)
        pass->host->plan_wake_at(pass->plan, (floor(hours) + 1) * 3600);
    return 0;
}

EASIM_EXPORT const struct easim_policy easim_policy = {EASIM_POLICY_ABI,
                                                       .name = "wake_up",
                                                       .version = "1.0",
                                                       .summary = "starts at full hours",
                                                       .capabilities = EASIM_CAPABILITY_TICK,
                                                       .reads = EASIM_READS_RUN_TIMES,
                                                       .decide = decide};
