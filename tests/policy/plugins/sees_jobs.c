/* sees_jobs: fails the run unless easim_view_job answers for the jobs of the queue, of `running`
   and of the events, and for as many more as write checkpoints, and for no other number. Starts
   what fits, in order, and at each timer preempts the job in the first place of `running`, up to
   three times. */
#include <easim/policy.h>

#define PAUSE_S 7

static int blame(const struct easim_pass *pass, const char *message) {
    pass->host->fail(pass->plan, message);
    return -1;
}

/* Marks the jobs that must be seen; negative if one is not. */
static int mark(const struct easim_pass *pass, bool *expected) {
    const struct easim_view *view = pass->view;
    for (uint32_t i = view->first_waiting; i != EASIM_NONE;) {
        const struct easim_job *job = easim_view_job(view, i);
        if (!job || job->index != i || job->state != EASIM_JOB_WAITING)
            return blame(pass, "a waiting job is not seen");
        expected[i] = true;
        i = job->next_waiting;
    }
    for (uint32_t i = 0; i < view->running_count; i++)
        expected[easim_view_running(view, i)->job] = true;
    for (uint32_t i = 0; i < view->event_count; i++)
        if (easim_view_event(view, i)->job != EASIM_NONE)
            expected[easim_view_event(view, i)->job] = true;
    return 0;
}

static int look(const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    bool *expected = pass->host->scratch(pass->plan, view->job_count);
    uint32_t checkpointing = 0, more = 0;
    if (mark(pass, expected) < 0)
        return -1;
    for (uint32_t i = 0; i < view->job_count; i++) {
        const struct easim_job *job = easim_view_job(view, i);
        if (expected[i] && (!job || job->index != i))
            return blame(pass, "a running job, or one of an event, is not seen");
        if (!expected[i] && job && job->state != EASIM_JOB_CHECKPOINTING)
            return blame(pass, "a job is seen that is not submitted yet, or over");
        checkpointing += job && job->state == EASIM_JOB_CHECKPOINTING;
    }
    for (uint32_t i = 0; i < 3; i++)
        more += easim_view_job(view, view->job_count + i) != NULL;
    if (checkpointing != view->checkpointing_count)
        return blame(pass, "a job that writes a checkpoint is not seen");
    return more == 0 ? 0 : blame(pass, "a job is seen that there is not");
}

static int decide(const struct easim_pass *pass) {
    const struct easim_view *view = pass->view;
    if (look(pass) < 0)
        return -1;
    if (easim_view_event(view, 0)->kind == EASIM_EVENT_TIMER && view->running_count > 0) {
        uint32_t first = easim_view_running(view, 0)->job;
        if (easim_view_job(view, first)->preemptions < 3)
            pass->host->plan_preempt(pass->plan, first, false);
    }
    for (uint32_t i = view->first_waiting; i != EASIM_NONE;) {
        const struct easim_job *job = easim_view_job(view, i);
        i = job->next_waiting;
        if (easim_fit(view, easim_view_config(view, job->first_config)) >= 0)
            pass->host->plan_start(pass->plan, job->index, job->first_config);
    }
    if (view->running_count > 0 || view->checkpointing_count > 0)
        pass->host->plan_wake_at(pass->plan, view->now_s + PAUSE_S);
    return look(pass); /* the plan shows */
}

EASIM_EXPORT const struct easim_policy easim_policy = {EASIM_POLICY_ABI,
                                                       .name = "sees_jobs",
                                                       .version = "1",
                                                       .summary = "looks at every number",
                                                       .capabilities = EASIM_CAPABILITY_PREEMPT |
                                                                       EASIM_CAPABILITY_TICK,
                                                       .decide = decide};
