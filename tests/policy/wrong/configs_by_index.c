/* Walks the configurations by sizeof: each job gets the one with most GPUs that fits. */
#include "wrong.h"

static void start_largest(const struct easim_pass *pass, const struct easim_job *job) {
    const struct easim_config *configs = pass->view->configs;
    uint32_t best = EASIM_NONE, end = job->first_config + job->config_count;
    for (uint32_t c = job->first_config; c < end; c++)
        if (easim_fit(pass->view, &configs[c]) >= 0 &&
            (best == EASIM_NONE || configs[c].k > configs[best].k))
            best = c;
    if (best != EASIM_NONE)
        pass->host->plan_start(pass->plan, job->index, best);
}

static int decide(const struct easim_pass *pass) {
    for (uint32_t i = pass->view->first_waiting; i != EASIM_NONE;) {
        const struct easim_job *job = easim_view_job(pass->view, i);
        i = job->next_waiting;
        start_largest(pass, job);
    }
    return 0;
}

POLICY(.decide = decide);
