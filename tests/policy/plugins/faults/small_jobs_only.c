/* small_jobs_only: does not start a job that needs the whole cluster. */
#include "in_order.h"

static int decide(const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    for (uint32_t i = view->first_waiting; i != EASIM_NONE;) {
        const struct easim_job *job = easim_view_job(view, i);
        const struct easim_config *config = easim_view_config(view, job->best_config);
        i = job->next_waiting;
        if (easim_fit(view, config) >= 0 && (config->k == 1 || config->k < view->gpus))
            pass->host->plan_start(pass->plan, job->index, job->best_config);
    }
    return 0;
}

FAULTY("small_jobs_only", .decide = decide);
