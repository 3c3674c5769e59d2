/* gives_up_at_cap: starts nothing any more once the power cap has refused a start. */
#include "in_order.h"

struct state {
    bool offended;
};

static int decide(const struct easim_pass *pass) {
    struct state *s = pass->state;
    const struct easim_view *view = pass->view;
    for (uint32_t i = view->first_waiting; i != EASIM_NONE && !s->offended;) {
        const struct easim_job *job = easim_view_job(view, i);
        i = job->next_waiting;
        if (easim_fit(view, easim_view_config(view, job->best_config)) < 0)
            break;
        s->offended = pass->host->plan_start(pass->plan, job->index, job->best_config) == EASIM_CAP;
    }
    return 0;
}

FAULTY("gives_up_at_cap", .capabilities = EASIM_CAPABILITY_POWER_CAP,
       .state_size = sizeof(struct state), .decide = decide);
