/* A free policy that resizes job 0 to and fro every second, so that it never gets on. */
#include <easim/policy.h>

static int decide(const struct easim_pass *pass);

#define NAME         "endless_resize"
#define CAPABILITIES EASIM_CAPABILITY_RESIZE | EASIM_CAPABILITY_TICK
#define DECIDE       decide
#define LIST         NULL
#include "template.h"

static int decide(const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    const struct easim_job *job = easim_view_job(view, 0);
    if (!job)
        return 0; /* it has finished */
    if (job->state == EASIM_JOB_WAITING)
        pass->host->plan_start(pass->plan, 0, job->first_config);
    else if (job->state == EASIM_JOB_RUNNING)
        pass->host->plan_resize(pass->plan, 0,
                                job->first_config + (job->config == job->first_config));
    return pass->host->plan_wake_at(pass->plan, view->now_s + 1);
}
