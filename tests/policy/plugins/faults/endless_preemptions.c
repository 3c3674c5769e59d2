/* endless_preemptions: preempts every running job before its set-up is over. */
#include "in_order.h"

static int decide(const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    bool wanted = on_one_gpu_type(view);
    while (wanted && view->running_count > 0)
        pass->host->plan_preempt(pass->plan, easim_view_running(view, 0)->job, true);
    if (wanted)
        pass->host->plan_wake_at(pass->plan, view->now_s + 5);
    return start_in_order(pass);
}

FAULTY("endless_preemptions", .capabilities = EASIM_CAPABILITY_PREEMPT | EASIM_CAPABILITY_TICK,
       .decide = decide);
