/* Starts a job in its key. */
#include "wrong.h"

static void key(const struct easim_pass *pass, const struct easim_job *job, double best,
                struct easim_key *ret) {
    (void)best, (void)ret;
    pass->host->plan_start(pass->plan, job->index, job->best_config);
}

LIST(.key = key);
