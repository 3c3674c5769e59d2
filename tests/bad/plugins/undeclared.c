/* Does what parameter `most` says, without the right to it: 1 preempt, 2 ask to be woken, 3 start a
   job in a configuration of nobody, 4 start a job that is not waiting, 5 start a job that does not
   exist, 6 resize. */
#include <easim/policy.h>

static int decide(const struct easim_pass *pass);

#define NAME   "undeclared"
#define DECIDE decide
#define LIST   NULL
#include "template.h"

static int decide(const struct easim_pass *pass) {
    const struct params *p = pass->params;
    const struct easim_view *view = pass->view;
    uint32_t job = view->first_waiting;
    if (p->most == 1)
        pass->host->plan_preempt(pass->plan, job, false);
    else if (p->most == 2)
        pass->host->plan_wake_at(pass->plan, view->now_s + 1);
    else if (p->most == 3)
        pass->host->plan_start(pass->plan, job, EASIM_NONE);
    else if (p->most == 4)
        pass->host->plan_start(pass->plan, view->job_count - 1, 0);
    else if (p->most == 5)
        pass->host->plan_start(pass->plan, EASIM_NONE, 0);
    else
        pass->host->plan_resize(pass->plan, job, 0);
    return 0;
}
