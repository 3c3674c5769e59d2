/* Walks the running jobs by sizeof. */
#include "wrong.h"

static int decide(const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    const struct easim_running *running = view->running;
    for (uint32_t i = 0; i < view->running_count; i++)
        if (running[i].k > view->gpus)
            return 0;
    for (uint32_t i = view->first_waiting; i != EASIM_NONE;) {
        const struct easim_job *job = easim_view_job(view, i);
        uint32_t config = job->first_config, end = config + job->config_count;
        i = job->next_waiting;
        while (config < end && easim_fit(view, easim_view_config(view, config)) < 0)
            config++;
        if (config < end)
            pass->host->plan_start(pass->plan, job->index, config);
    }
    return 0;
}

POLICY(.decide = decide);
