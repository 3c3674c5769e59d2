/* resize_at: starts jobs in order, each in its first configuration that fits; at one time it does
   what `kind` says with the first job: resizes it to the configuration `to` places after its first,
   or something wrong. */
#include <easim/policy.h>

enum kind {
    ONCE,
    TWICE,
    SAME,
    SAME_AGAIN,
    FOREIGN,
    NO_SUCH_JOB,
    WAITING,
    NEW,
    THEN_PREEMPT,
    TRY,
    ENDLESS,
    KINDS
};
static const char *const kinds[] = {"once",         "twice",       "same",    "same_again",
                                    "foreign",      "no_such_job", "waiting", "new",
                                    "then_preempt", "try",         "endless", NULL};

struct params {
    double at, power_w;
    int64_t to, span;
    int32_t kind;
};

struct state {
    bool asked;
};

static uint32_t start_waiting(const struct easim_pass *pass) {
    uint32_t last = EASIM_NONE;
    for (uint32_t i = pass->view->first_waiting; i != EASIM_NONE;) {
        const struct easim_job *job = easim_view_job(pass->view, i);
        i = job->next_waiting;
        if (easim_fit(pass->view, easim_view_config(pass->view, job->first_config)) >= 0 &&
            pass->host->plan_start(pass->plan, job->index, job->first_config) == EASIM_OK)
            last = job->index;
    }
    return last;
}

/* Fails the run unless try_config answers with `span` and `power_w`, and leaves the view alone. */
static int try_it(const struct easim_pass *pass, const struct easim_job *job, uint32_t config) {
    const struct params *p = pass->params;
    double before_w = pass->view->power_w, power_w = 0;
    uint32_t free = pass->view->free_gpus;
    int span = pass->host->try_config(pass->plan, job->index, config, &power_w);
    bool fits = span >= 0 || span == EASIM_CAP;
    if (span == p->span && (!fits || fabs(power_w - p->power_w) < 1e-9) &&
        pass->view->power_w == before_w && pass->view->free_gpus == free &&
        pass->host->try_config(pass->plan, job->index, config, NULL) == span)
        return 0;
    pass->host->fail(pass->plan, "try_config answered something else");
    return -1;
}

static int act(const struct easim_pass *pass, uint32_t started) {
    const struct params *p = pass->params;
    const struct easim_host *host = pass->host;
    const struct easim_job *job = easim_view_job(pass->view, 0);
    uint32_t to = (job ? job->first_config : 0) + (uint32_t)p->to;
    if (!job) { /* it is over */
        host->plan_resize(pass->plan, 0, to);
        return 0;
    }
    if (p->kind == TRY)
        return try_it(pass, job, to);
    if (p->kind == SAME)
        to = job->config;
    if (p->kind == FOREIGN)
        to = job->first_config + job->config_count;
    if (p->kind == NO_SUCH_JOB)
        host->plan_resize(pass->plan, pass->view->job_count, to);
    else if (p->kind == WAITING)
        host->plan_resize(pass->plan, pass->view->first_waiting, to);
    else if (p->kind == NEW)
        host->plan_resize(pass->plan, started, to);
    else
        host->plan_resize(pass->plan, job->index, to);
    if (p->kind == SAME_AGAIN) /* also where this very plan has brought it there */
        host->plan_resize(pass->plan, job->index, to);
    if (p->kind == TWICE)
        host->plan_resize(pass->plan, job->index, job->first_config);
    if (p->kind == THEN_PREEMPT)
        host->plan_preempt(pass->plan, job->index, false);
    return 0;
}

static int decide(const struct easim_pass *pass) {
    const struct params *p = pass->params;
    struct state *s = pass->state;
    uint32_t started = start_waiting(pass);
    if (!s->asked)
        pass->host->plan_wake_at(pass->plan, p->at);
    s->asked = true;
    if (p->kind == ENDLESS && pass->view->now_s > 0) { /* to and fro */
        const struct easim_job *job = easim_view_job(pass->view, 0);
        pass->host->plan_wake_at(pass->plan, pass->view->now_s + 1);
        if (!job)
            return 0;
        pass->host->plan_resize(pass->plan, 0,
                                job->first_config + (job->config == job->first_config));
        return 0;
    }
    return fabs(pass->view->now_s - p->at) < 0.5e-9 ? act(pass, started) : 0;
}

static const struct easim_param params[] = {
    {"at", "s", "when", EASIM_PARAM_DURATION, offsetof(struct params, at), 0, 1e9, 10, false, NULL,
     EASIM_ROLE_NONE},
    {"to", "", "which configuration", EASIM_PARAM_INT, offsetof(struct params, to), 0, 1e6, 1,
     false, NULL, EASIM_ROLE_NONE},
    {"kind", "", "what to do", EASIM_PARAM_CHOICE, offsetof(struct params, kind), 0, KINDS - 1,
     ONCE, false, kinds, EASIM_ROLE_NONE},
    {"span", "", "expected of try_config", EASIM_PARAM_INT, offsetof(struct params, span), -3, 1, 0,
     false, NULL, EASIM_ROLE_NONE},
    {"power_w", "W", "likewise", EASIM_PARAM_REAL, offsetof(struct params, power_w), 0, 1e9, 0,
     false, NULL, EASIM_ROLE_NONE},
};

EASIM_EXPORT const struct easim_policy easim_policy = {
    EASIM_POLICY_ABI,
    .name = "resize_at",
    .version = "1",
    .summary = "resizes the first job once",
    .capabilities = EASIM_CAPABILITY_RESIZE | EASIM_CAPABILITY_PREEMPT |
                    EASIM_CAPABILITY_POWER_CAP | EASIM_CAPABILITY_TICK,
    .state_size = sizeof(struct state),
    .params_size = sizeof(struct params),
    .params = params,
    .param_count = sizeof params / sizeof *params,
    .decide = decide};
