/* refused: tries the head of the queue whether it fits or not. */
#include "in_order.h"

static int decide(const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    for (uint32_t i = view->first_waiting; i != EASIM_NONE;) {
        const struct easim_job *job = easim_view_job(view, i);
        i = job->next_waiting;
        if (pass->host->plan_start(pass->plan, job->index, job->best_config) != EASIM_OK)
            break;
    }
    return 0;
}

FAULTY("refused", .decide = decide);
