/* wake_later: at each arrival asks to be woken some time later, and starts jobs only when a timer
 * woke it. */
#include <easim/policy.h>

struct params {
    double delay;
};

static int decide(const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    const struct params *p = pass->params;
    bool timer = false;
    for (uint32_t i = 0; i < view->event_count; i++) {
        const struct easim_event *event = easim_view_event(view, i);
        if (event->kind == EASIM_EVENT_ARRIVAL)
            pass->host->plan_wake_at(pass->plan, view->now_s + p->delay);
        timer = timer || event->kind == EASIM_EVENT_TIMER;
    }
    for (uint32_t i = view->first_waiting; timer && i != EASIM_NONE;) {
        const struct easim_job *job = easim_view_job(view, i);
        i = job->next_waiting;
        pass->host->plan_start(pass->plan, job->index, job->first_config);
    }
    return 0;
}

static const struct easim_param params[] = {
    {"delay", "s", "after an arrival", EASIM_PARAM_DURATION, offsetof(struct params, delay), 0, 1e9,
     1, false, NULL, EASIM_ROLE_NONE},
};

EASIM_EXPORT const struct easim_policy easim_policy = {EASIM_POLICY_ABI,
                                                       .name = "wake_later",
                                                       .version = "1",
                                                       .summary = "starts at timers only",
                                                       .capabilities = EASIM_CAPABILITY_TICK,
                                                       .params_size = sizeof(struct params),
                                                       .params = params,
                                                       .param_count = 1,
                                                       .decide = decide};
