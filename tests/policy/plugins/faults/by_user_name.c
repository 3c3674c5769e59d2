/* by_user_name: first come, first served within the alphabet of users. */
#include "in_order.h"

#include <string.h>

static const struct easim_job *first_by_name(const struct easim_view *view) {
    const struct easim_job *first = NULL;
    for (uint32_t i = view->first_waiting; i != EASIM_NONE;
         i = easim_view_job(view, i)->next_waiting) {
        const struct easim_job *job = easim_view_job(view, i);
        if (!first || strcmp(easim_view_user(view, job->user)->name,
                             easim_view_user(view, first->user)->name) < 0)
            first = job;
    }
    return first;
}

static int decide(const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    for (const struct easim_job *job; (job = first_by_name(view)) != NULL;) {
        if (easim_fit(view, easim_view_config(view, job->best_config)) < 0)
            return 0;
        pass->host->plan_start(pass->plan, job->index, job->best_config);
    }
    return 0;
}

FAULTY("by_user_name", .decide = decide);
