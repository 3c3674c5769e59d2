/* script: does what its parameter says, when it says so, and nothing else: "0 start 0 1, 20 resize
   0 2, 25 stop 0" starts job 0 in its configuration 1 (counted from its first) at 0, and so on.
   stop is a preemption, kill one at once, reject refuses the job for good. Actions of one time are
   one decision. */
#include <easim/policy.h>
#include <stdio.h>
#include <string.h>

struct params {
    const char *actions;
};

struct state {
    size_t at; /* of the next action */
    double asked_s;
};

static int act(const struct easim_pass *pass, const char *what, uint32_t index, uint32_t place) {
    const struct easim_job *job = easim_view_job(pass->view, index);
    uint32_t config = (job ? job->first_config : 0) + place;
    if (strcmp(what, "start") == 0)
        return pass->host->plan_start(pass->plan, index, config);
    if (strcmp(what, "resize") == 0)
        return pass->host->plan_resize(pass->plan, index, config);
    if (strcmp(what, "reject") == 0)
        return pass->host->plan_reject(pass->plan, index, "the script says so");
    return pass->host->plan_preempt(pass->plan, index, strcmp(what, "kill") == 0);
}

static int decide(const struct easim_pass *pass) {
    const struct params *p = pass->params;
    struct state *s = pass->state;
    double time_s, now_s = pass->view->now_s;
    char what[16];
    unsigned job, config = 0;
    while (sscanf(p->actions + s->at, " %lf %15s %u %u", &time_s, what, &job, &config) >= 3 &&
           time_s <= now_s + 0.5e-9) {
        if (act(pass, what, job, config) != EASIM_OK)
            return -1;
        s->at += strcspn(p->actions + s->at, ",");
        s->at += p->actions[s->at] == ',';
        config = 0;
    }
    if (p->actions[s->at] && s->asked_s != time_s &&
        pass->host->plan_wake_at(pass->plan, time_s) != EASIM_OK)
        return -1;
    s->asked_s = time_s;
    return 0;
}

static const struct easim_param params[] = {
    {"actions", "", "times, actions, jobs and configurations", EASIM_PARAM_TEXT,
     offsetof(struct params, actions), 0, 0, 0, false, NULL, EASIM_ROLE_NONE},
};

EASIM_EXPORT const struct easim_policy easim_policy = {
    EASIM_POLICY_ABI,
    .name = "script",
    .version = "1",
    .summary = "does as it is told",
    .capabilities = EASIM_CAPABILITY_PREEMPT | EASIM_CAPABILITY_RESIZE | EASIM_CAPABILITY_TICK |
                    EASIM_CAPABILITY_FRACTIONAL_GPU | EASIM_CAPABILITY_REJECT,
    .state_size = sizeof(struct state),
    .params_size = sizeof(struct params),
    .params = params,
    .param_count = sizeof params / sizeof *params,
    .decide = decide};
