/* Starts a job that has finished. */
#include "wrong.h"

static int decide(const struct easim_pass *pass) {
    for (uint32_t i = 0; i < pass->view->event_count; i++)
        if (easim_view_event(pass->view, i)->kind == EASIM_EVENT_FINISH)
            pass->host->plan_start(pass->plan, easim_view_event(pass->view, i)->job, 0);
    return start_in_order(pass);
}

POLICY(.decide = decide);
