/* misuse: one wrong action in each decision, then the waiting jobs start in order. */
#include <easim/policy.h>
#include <stdio.h>

enum kind {
    NO_SUCH_JOB,
    FAR_JOB,
    CONFIG_BELOW,
    CONFIG_ABOVE,
    START_TWICE,
    PREEMPT_WAITING,
    PREEMPT_NEW,
    WAKE_NOW,
    WAKE_NAN,
    WAKE_LATE,
    PREEMPT_RUNNING,
    REJECT_RUNNING,
    REJECT_STARTED,
    REJECT_OVER,
    REJECT_NONE,
    REJECT_LATER,
    REJECT_TWICE,
    REJECT_NAMED,
    KINDS
};
static const char *const kinds[] = {"no_such_job",
                                    "far_job",
                                    "config_below",
                                    "config_above",
                                    "start_twice",
                                    "preempt_waiting",
                                    "preempt_new",
                                    "wake_now",
                                    "wake_nan",
                                    "wake_late",
                                    "preempt_running",
                                    "reject_running",
                                    "reject_started",
                                    "reject_over",
                                    "reject_none",
                                    "reject_later",
                                    "reject_twice",
                                    "reject_named",
                                    NULL};

struct params {
    int32_t kind;
};

static void before_starts(const struct easim_pass *pass, enum kind kind,
                          const struct easim_job *first) {
    const struct easim_host *host = pass->host;
    if (kind == NO_SUCH_JOB)
        host->plan_start(pass->plan, pass->view->job_count, 0);
    if (kind == FAR_JOB) {
        host->plan_start(pass->plan, EASIM_NONE, 0);
        host->plan_preempt(pass->plan, pass->view->job_count + 1, false);
    }
    if (kind == CONFIG_BELOW)
        host->plan_start(pass->plan, first->index, first->first_config - 1);
    if (kind == CONFIG_ABOVE)
        host->plan_start(pass->plan, first->index, first->first_config + first->config_count);
    if (kind == PREEMPT_WAITING)
        host->plan_preempt(pass->plan, first->index, false);
    if (kind == WAKE_NOW)
        host->plan_wake_at(pass->plan, pass->view->now_s);
    if (kind == WAKE_NAN)
        host->plan_wake_at(pass->plan, NAN);
    if (kind == WAKE_LATE)
        host->plan_wake_at(pass->plan, 4.1e9);
}

static int reject(const struct easim_pass *pass, uint32_t job) {
    return pass->host->plan_reject(pass->plan, job, NULL);
}

static void reject_wrongly(const struct easim_pass *pass, enum kind kind) {
    const struct easim_view *view = pass->view;
    if (kind == REJECT_RUNNING && view->running_count > 0)
        reject(pass, easim_view_running(view, 0)->job);
    if (kind == REJECT_OVER && view->now_s >= 10)
        reject(pass, 0);
    if (kind == REJECT_NONE)
        reject(pass, view->job_count);
    if (kind == REJECT_LATER && view->now_s < 1)
        reject(pass, view->job_count - 1);
    if (kind == REJECT_TWICE && view->now_s == 1) {
        reject(pass, 1);
        reject(pass, 1);
    }
    if (kind == REJECT_NAMED) {
        char reason[40];
        snprintf(reason, sizeof reason, "%.4s\033", easim_view_job(view, view->first_waiting)->id);
        pass->host->plan_reject(pass->plan, view->first_waiting, reason);
    }
}

/* A question about a job that is none is answered, too. */
static int ask(const struct easim_pass *pass) {
    const uint32_t none[] = {pass->view->job_count, pass->view->job_count + 1, EASIM_NONE};
    for (int i = 0; i < 3; i++)
        if (pass->host->try_config(pass->plan, none[i], 0, NULL) != EASIM_INVAL ||
            pass->host->job_nodes(pass->plan, none[i], NULL, 0) != 0) {
            pass->host->fail(pass->plan, "there is a place for a job that is none");
            return -1;
        }
    return 0;
}

static int decide(const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    if (ask(pass) < 0)
        return -1;
    enum kind kind = (enum kind)((const struct params *)pass->params)->kind;
    if (kind == PREEMPT_RUNNING && view->running_count > 0)
        pass->host->plan_preempt(pass->plan, easim_view_running(view, 0)->job, false);
    if (view->first_waiting != EASIM_NONE || kind != REJECT_NAMED)
        reject_wrongly(pass, kind);
    if (view->first_waiting == EASIM_NONE)
        return 0;
    before_starts(pass, kind, easim_view_job(view, view->first_waiting));
    for (uint32_t i = view->first_waiting; i != EASIM_NONE;) {
        const struct easim_job *job = easim_view_job(view, i);
        i = job->next_waiting;
        if (easim_fit(view, easim_view_config(view, job->first_config)) < 0)
            return 0;
        pass->host->plan_start(pass->plan, job->index, job->first_config);
        if (kind == START_TWICE)
            pass->host->plan_start(pass->plan, job->index, job->first_config);
        if (kind == REJECT_STARTED)
            reject(pass, job->index);
        if (kind == PREEMPT_NEW)
            pass->host->plan_preempt(pass->plan, job->index, false);
    }
    return 0;
}

static const struct easim_param params[] = {{"kind", "", "what to do wrong", EASIM_PARAM_CHOICE,
                                             offsetof(struct params, kind), 0, KINDS - 1, 0, false,
                                             kinds, EASIM_ROLE_NONE}};

EASIM_EXPORT const struct easim_policy easim_policy = {
    EASIM_POLICY_ABI,
    .name = "misuse",
    .version = "1",
    .summary = "one wrong action a decision",
    .capabilities = EASIM_CAPABILITY_PREEMPT | EASIM_CAPABILITY_REJECT | EASIM_CAPABILITY_TICK |
                    EASIM_CAPABILITY_FRACTIONAL_GPU,
    .params_size = sizeof(struct params),
    .params = params,
    .param_count = 1,
    .decide = decide};
