/* scripted_resizes: see scripted.h. "20 resize 3 7" takes running job 3 to its configuration 7
   (counted from its first, and around) at 20, if that fits and is admitted. Then waiting jobs start
   in the order of submission, each in the first such configuration, from that with its own index
   on, and around. The first that finds none ends the decision, or with IS_LAX is passed over. */
#include "scripted.h"

static uint32_t config_of(const struct easim_job *job, uint32_t number) {
    return job->first_config + number % job->config_count;
}

/* A negative answer is no error: the job stays as it is. */
static int act(const struct easim_pass *pass, const char *what, uint32_t index, double number) {
    const struct easim_job *job = easim_view_job(pass->view, index);
    if (strcmp(what, "resize") != 0)
        return -1;
    if (!job || job->state != EASIM_JOB_RUNNING)
        return 0;
    uint32_t config = config_of(job, (uint32_t)number);
    if (config != job->config)
        (void)pass->host->plan_resize(pass->plan, index, config);
    return 0;
}

static bool start(const struct easim_pass *pass, const struct easim_job *job) {
    for (uint32_t n = 0; n < job->config_count; n++)
        if (pass->host->plan_start(pass->plan, job->index, config_of(job, job->index + n)) ==
            EASIM_OK)
            return true;
    return false;
}

static int resize_and_start(const struct easim_pass *pass) {
    int r = decide(pass);
    uint32_t next = pass->view->first_waiting;
    while (r == 0 && next != EASIM_NONE) {
        const struct easim_job *job = easim_view_job(pass->view, next);
        next = job->next_waiting;
        if (!start(pass, job) && !IS_LAX)
            break;
    }
    return r;
}

EASIM_EXPORT const struct easim_policy easim_policy = {
    EASIM_POLICY_ABI,
    SCRIPTED_BUT_DECIDE,
    .name = NAME,
    .summary = "resizes as it is told, and starts jobs in order",
    .capabilities = EASIM_CAPABILITY_RESIZE | EASIM_CAPABILITY_TICK,
    .decide = resize_and_start};
