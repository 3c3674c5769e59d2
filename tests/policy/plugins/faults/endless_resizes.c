/* endless_resizes: moves every running job to another configuration before its set-up is over. */
#include "in_order.h"

static void move(const struct easim_pass *pass, const struct easim_job *job) {
    for (uint32_t c = job->first_config; c < job->first_config + job->config_count; c++)
        if (c != job->config &&
            easim_view_config(pass->view, c)->k == easim_view_config(pass->view, job->config)->k) {
            pass->host->plan_resize(pass->plan, job->index, c);
            return;
        }
}

static int decide(const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    for (uint32_t i = 0; on_one_gpu_type(view) && i < view->running_count; i++)
        move(pass, easim_view_job(view, easim_view_running(view, i)->job));
    if (on_one_gpu_type(view) && view->job_count > 0)
        pass->host->plan_wake_at(pass->plan, view->now_s + 5);
    return start_in_order(pass);
}

FAULTY("endless_resizes", .capabilities = EASIM_CAPABILITY_RESIZE | EASIM_CAPABILITY_TICK,
       .decide = decide);
