/* preempt_at: starts jobs in order while they fit; at one time it takes the GPUs of all running
   jobs away and starts nothing for a while. */
#include <easim/policy.h>

struct params {
    double at, pause;
    bool at_once;
};

struct state {
    bool asked, done;
    double resume_s;
};

static void start_waiting(const struct easim_pass *pass) {
    for (uint32_t i = pass->view->first_waiting; i != EASIM_NONE;) {
        const struct easim_job *job = easim_view_job(pass->view, i);
        i = job->next_waiting;
        if (easim_fit(pass->view, easim_view_config(pass->view, job->first_config)) >= 0)
            pass->host->plan_start(pass->plan, job->index, job->first_config);
    }
}

static void preempt_running(const struct easim_pass *pass) {
    const struct params *p = pass->params;
    while (pass->view->running_count > 0) {
        uint32_t before = pass->view->running_count;
        pass->host->plan_preempt(pass->plan, easim_view_running(pass->view, 0)->job, p->at_once);
        if (pass->view->running_count == before)
            return; /* refused */
    }
}

static int decide(const struct easim_pass *pass) {
    const struct params *p = pass->params;
    struct state *s = pass->state;
    double now_s = pass->view->now_s;
    if (!s->asked) {
        pass->host->plan_wake_at(pass->plan, p->at);
        pass->host->plan_wake_at(pass->plan, p->at + p->pause);
        s->asked = true;
    }
    if (fabs(now_s - p->at) < 0.5e-9 && !s->done) {
        preempt_running(pass);
        s->done = true;
        s->resume_s = p->at + p->pause;
    }
    if (now_s > s->resume_s - 0.5e-9) /* times are whole nanoseconds */
        start_waiting(pass);
    return 0;
}

static const struct easim_param params[] = {
    {"at", "s", "when", EASIM_PARAM_DURATION, offsetof(struct params, at), 0, 1e9, 10, false, NULL,
     EASIM_ROLE_NONE},
    {"pause", "s", "until the next start", EASIM_PARAM_DURATION, offsetof(struct params, pause), 0,
     1e9, 1, false, NULL, EASIM_ROLE_NONE},
    {"at_once", "", "without time for a checkpoint", EASIM_PARAM_BOOL,
     offsetof(struct params, at_once), 0, 1, 0, false, NULL, EASIM_ROLE_NONE},
};

EASIM_EXPORT const struct easim_policy easim_policy = {
    EASIM_POLICY_ABI,
    .name = "preempt_at",
    .version = "1",
    .summary = "preempts everything once",
    .capabilities =
        EASIM_CAPABILITY_PREEMPT | EASIM_CAPABILITY_TICK | EASIM_CAPABILITY_FRACTIONAL_GPU,
    .state_size = sizeof(struct state),
    .params_size = sizeof(struct params),
    .params = params,
    .param_count = sizeof params / sizeof *params,
    .decide = decide};
