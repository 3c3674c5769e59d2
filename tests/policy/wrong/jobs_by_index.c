/* Walks the jobs by sizeof. */
#include "wrong.h"

static int decide(const struct easim_pass *pass) {
    const struct easim_job *jobs = pass->view->jobs;
    for (uint32_t i = 0; i < pass->view->job_count; i++)
        if (jobs[i].state == EASIM_JOB_WAITING &&
            easim_fit(pass->view, easim_view_config(pass->view, jobs[i].best_config)) >= 0)
            pass->host->plan_start(pass->plan, jobs[i].index, jobs[i].best_config);
    return 0;
}

POLICY(.decide = decide);
