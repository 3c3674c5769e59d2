/* sets_limits: does what its parameter says, when it says so, and nothing else: "0 start 0 1, 20
   limit 0 250, 30 see 0" starts job 0 in its configuration 1 (counted from its first) at 0, limits
   it to 250 W at 20, and counts what it sees of it at 30. resize and stop are as start. Actions of
   one time are one decision. Each refusal is counted, with its answer. */
#include <easim/power.h>
#include <stdio.h>
#include <string.h>

struct params {
    const char *actions;
};

struct state {
    size_t at; /* of the next action */
    double asked_s;
};

static void see(const struct easim_pass *pass, uint32_t job) {
    const struct easim_power_job *p = easim_power_at(easim_power_of(pass, 0), job);
    const struct easim_job *j = easim_view_job(pass->view, job);
    char text[200];
    snprintf(text, sizeof text, "%.9g s: %.9g %.9g %.9g %.9g %.9g, %.9g W", pass->view->now_s,
             p->wish_w, p->draw_w, p->speed, p->least_w, p->most_w, j ? j->power_now_w : 0);
    pass->host->count(pass->plan, text, NULL);
}

static int act(const struct easim_pass *pass, const char *what, uint32_t index, double number) {
    const struct easim_job *job = easim_view_job(pass->view, index);
    if (strcmp(what, "see") == 0)
        return see(pass, index), EASIM_OK;
    if (strcmp(what, "limit") == 0)
        return easim_power_of(pass, 0)->plan_limit(pass->plan, index, number);
    if (strcmp(what, "stop") == 0)
        return pass->host->plan_preempt(pass->plan, index, false);
    uint32_t config = (job ? job->first_config : 0) + (uint32_t)number;
    return strcmp(what, "start") == 0 ? pass->host->plan_start(pass->plan, index, config)
                                      : pass->host->plan_resize(pass->plan, index, config);
}

static int decide(const struct easim_pass *pass) {
    const struct params *p = pass->params;
    struct state *s = pass->state;
    double time_s, number = 0, now_s = pass->view->now_s;
    char what[16], text[60];
    unsigned job;
    while (sscanf(p->actions + s->at, " %lf %15[a-z] %u %lf", &time_s, what, &job, &number) >= 3 &&
           time_s <= now_s + 0.5e-9) {
        int answer = act(pass, what, job, number);
        snprintf(text, sizeof text, "%.9g s: %s is answered %d", now_s, what, answer);
        if (answer != EASIM_OK)
            pass->host->count(pass->plan, text, NULL);
        s->at += strcspn(p->actions + s->at, ",");
        s->at += p->actions[s->at] == ',';
        number = 0;
    }
    if (p->actions[s->at] && s->asked_s != time_s &&
        pass->host->plan_wake_at(pass->plan, time_s) != EASIM_OK)
        return -1;
    s->asked_s = time_s;
    return 0;
}

static const struct easim_param params[] = {
    {"actions", "", "times, actions, jobs and numbers", EASIM_PARAM_TEXT,
     offsetof(struct params, actions), 0, 0, 0, false, NULL, EASIM_ROLE_NONE},
};

static const struct easim_extension extensions[] = {EASIM_POWER(false)};

EASIM_EXPORT const struct easim_policy easim_policy = {
    EASIM_POLICY_ABI,
    .name = NAME,
    .version = "1",
    .summary = "limits as it is told",
    .capabilities = EASIM_CAPABILITY_PREEMPT | EASIM_CAPABILITY_RESIZE | EASIM_CAPABILITY_TICK |
                    EASIM_CAPABILITY_FRACTIONAL_GPU | MORE_CAPABILITIES,
    .state_size = sizeof(struct state),
    .params_size = sizeof(struct params),
    .params = params,
    .param_count = sizeof params / sizeof *params,
    .extensions = extensions,
    .extension_count = 1,
    .extension_bytes = sizeof *extensions,
    .decide = decide};
